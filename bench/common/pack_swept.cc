#include "bench/common/pack_swept.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace postrider::bench {
using namespace internal;
namespace {

constexpr std::uint64_t kSeed = 1;
enum Stream : std::uint64_t { kWeights, kInputs, kTargets };
constexpr float kNoise = 0.1f;
constexpr double kSlope = 0.05;

std::vector<SweepLayer> layers_of(const std::vector<std::size_t>& widths) {
  std::vector<SweepLayer> out;
  for (std::size_t l = 0; l + 1 < widths.size(); ++l) {
    SweepLayer layer{widths[l], widths[l + 1]};
    if (l + 2 < widths.size()) layer.slope = kSlope;
    out.push_back(layer);
  }
  return out;
}

}  // namespace

PackSwept::PackSwept(const std::vector<std::size_t>& widths, std::size_t rows)
    : engine_(layers_of(widths), graph::Rule::conditioned),
      workspace_(engine_.layers()),
      prior_(engine_.weights() * kPack),
      message_(prior_.size()),
      beliefs_(engine_.weights()),
      targets_(rows * widths.back()),
      mean_(kPack * targets_.size()),
      variance_(mean_.size()),
      powers_(kPack * rows, 1.0f),
      noise_(kPack * widths.back(), kNoise),
      steps_(kPack * rows),
      rows_(rows) {
  // As Layer has it: variance 2/fan-in around random means of variance 1/fan-in.
  RandomStream random(kSeed, kWeights);
  std::size_t weight = 0;
  for (const SweepLayer& layer : engine_.layers())
    for (std::size_t k = 0; k < layer.weights(); ++k, ++weight) {
      const auto precision = static_cast<float>(layer.fan_in()) / 2;
      const double deviation = 1 / std::sqrt(static_cast<double>(layer.fan_in()));
      beliefs_.least[weight] = precision;
      for (std::size_t m = 0; m < kPack; ++m) {
        prior_.rho[weight * kPack + m] = precision;
        prior_.tau[weight * kPack + m] =
            precision * static_cast<float>(deviation * random.normal());
      }
    }
  RandomStream values(kSeed, kInputs), wanted(kSeed, kTargets);
  std::vector<float> inputs(rows * widths.front());
  for (float& x : inputs) x = static_cast<float>(values.uniform(0.1, 1));
  inputs_ = StoredInputs<float>::of_dense(inputs, {}, widths.front());
  for (float& y : targets_) y = static_cast<float>(wanted.normal());
  for (std::size_t at = 0; at < steps_.size(); ++at)
    steps_[at] = static_cast<std::uint32_t>(at / kPack);
  const std::size_t own = targets_.size();
  for (std::size_t m = 0; m < kPack; ++m) {
    data_.examples[m] = {inputs_.view(), targets_, widths.back()};
    data_.predictions[m] = {std::span(mean_).subspan(m * own, own),
                            std::span(variance_).subspan(m * own, own)};
  }
  reset();
}

void PackSwept::reset() {
  beliefs_.belief = prior_;
  std::ranges::fill(message_.tau, 0.0f);
  std::ranges::fill(message_.rho, 0.0f);
}

void PackSwept::learn(std::size_t block) {
  PackGroup<float> group;
  group.rows = steps_;
  group.powers = powers_;
  group.rows_are_shared = true;
  PackLearnOptions<float> options;
  options.noise_variance = noise_;
  options.block = block;
  engine_.refresh(beliefs_, message_.tau, message_.rho, data_, group, options, workspace_);
}

}  // namespace postrider::bench
