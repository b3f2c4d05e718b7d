#include "bench/common/swept.h"

#include <cmath>

#include "base/random.h"

namespace postrider::bench {
using namespace internal;
namespace {

constexpr std::uint64_t kSeed = 1;
enum Stream : std::uint64_t { kWeights, kInputs, kTargets };
constexpr float kNoise = 0.1f;

std::vector<SweepLayer> layers_of(const std::vector<std::size_t>& widths, double slope) {
  std::vector<SweepLayer> out;
  for (std::size_t l = 0; l + 1 < widths.size(); ++l) {
    SweepLayer layer{widths[l], widths[l + 1]};
    if (l + 2 < widths.size()) layer.slope = slope;
    out.push_back(layer);
  }
  return out;
}

}  // namespace

Swept::Swept(const std::vector<std::size_t>& widths, std::size_t rows, SimdLevel level,
             double slope)
    : engine_(layers_of(widths, slope), graph::Rule::conditioned, level),
      workspace_(engine_.layers()),
      prior_(engine_.beliefs()),
      message_(prior_.size()),
      targets_(rows * widths.back()),
      mean_(targets_.size()),
      variance_(targets_.size()),
      noise_(widths.back(), kNoise),
      rows_(rows) {
  // As Layer has it: variance 2/fan-in around random means of variance 1/fan-in.
  RandomStream random(kSeed, kWeights);
  for (std::size_t l = 0; l < engine_.layers().size(); ++l) {
    const SweepLayer& layer = engine_.layers()[l];
    const auto precision = static_cast<float>(layer.fan_in()) / 2;
    const double deviation = 1 / std::sqrt(static_cast<double>(layer.fan_in()));
    for (std::size_t i = 0; i < layer.units; ++i)
      for (std::size_t j = 0; j < layer.fan_in(); ++j) {
        const std::size_t at = engine_.layout().layers()[l].index(i, j);
        prior_.rho[at] = precision;
        prior_.tau[at] = precision * static_cast<float>(deviation * random.normal());
      }
  }
  RandomStream values(kSeed, kInputs), wanted(kSeed, kTargets);
  std::vector<float> inputs(rows * widths.front());
  for (float& x : inputs) x = static_cast<float>(values.uniform(0.1, 1));
  inputs_ = StoredInputs<float>::of_dense(inputs, {}, widths.front());
  for (float& y : targets_) y = static_cast<float>(wanted.normal());
  for (std::size_t r = 0; r < rows; ++r) rows_[r] = static_cast<std::uint32_t>(r);
  reset();
}

void Swept::learn(std::size_t block) {
  const ExamplesView<float> examples{inputs_.view(), targets_, noise_.size()};
  SweepRecord record;
  engine_.learn(belief_, examples, rows_, {noise_, block}, {mean_, variance_}, workspace_, record);
}

void Swept::predict() {
  const ExamplesView<float> examples{inputs_.view(), targets_, noise_.size()};
  engine_.predict(belief_, examples, rows_, {mean_, variance_}, workspace_);
}

void Swept::take_out() { engine_.take_out(belief_, prior_, message_.tau, message_.rho); }

void Swept::difference() { engine_.difference(belief_, message_.tau, message_.rho); }

std::string network_name(const std::vector<std::size_t>& widths) {
  std::string out;
  for (const std::size_t width : widths)
    out.append(out.empty() ? "" : "-").append(std::to_string(width));
  return out;
}

}  // namespace postrider::bench
