#include "bench/epoch/case.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace postrider::bench {
using namespace internal;
namespace {

constexpr std::uint64_t kSeed = 1;
enum Stream : std::uint64_t { kInputs, kTargets, kWeights };

// Waves of random direction, phase and sign that make up a target.
constexpr std::size_t kWaves = 3;

}  // namespace

std::string Case::network() const {
  std::string out;
  for (const std::size_t width : widths)
    out.append(out.empty() ? "" : "-").append(std::to_string(width));
  return out;
}

const std::vector<Case>& all_cases() {
  constexpr float kSlope = 0.05f;
  static const std::vector<Case> cases{
      {"a", {8, 6, 5, 1}, false, {0.4f, 0.8f}, 200, 20, 0.03},
      {"b", {6, 6, 12, 48, 24, 4}, false, {kSlope, kSlope, kSlope, kSlope}, 1500, 15, 0.06},
      {"c", {13, 50, 1}, true, {kSlope}, 500, 10, 0.05},
      {"d", {784, 256, 256, 10}, true, {kSlope, kSlope}, 10'000, 32, 1.8},
      {"e", {1024, 1024, 1024, 10}, true, {kSlope, kSlope}, 2'000, 32, 2.4}};
  return cases;
}

const std::vector<EnsembleCase>& ensemble_cases() {
  constexpr std::size_t kMembers = 16;
  static const std::vector<EnsembleCase> cases = [] {
    std::vector<EnsembleCase> out{{all_cases()[0], kMembers, 1.5},
                                  {all_cases()[1], kMembers, 3},
                                  {all_cases()[2], kMembers, 3}};
    constexpr double kToTorch[] = {0.008, 0.035, 0.022};
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i].of.name += std::to_string(kMembers);
      out[i].of.target_ratio = kToTorch[i];
    }
    return out;
  }();
  return cases;
}

TrainingSet random_set(const Case& of) {
  const std::size_t inputs = of.widths.front(), outputs = of.widths.back();
  RandomStream random(kSeed, kInputs);
  TrainingSet set;
  for (std::size_t i = 0; i < of.rows * inputs; ++i) {
    // Away from zero, which the sweep would leave out.
    const auto x = static_cast<float>(random.normal());
    set.inputs.push_back(x == 0 ? 1.0f : x);
  }
  RandomStream shape(kSeed, kTargets);
  const double scale = 1 / std::sqrt(static_cast<double>(inputs));
  std::vector<double> direction(kWaves * outputs * inputs), phase(kWaves * outputs);
  for (double& x : direction) x = scale * shape.normal();
  for (double& x : phase) x = shape.uniform(-3, 3);
  for (std::size_t r = 0; r < of.rows; ++r)
    for (std::size_t o = 0; o < outputs; ++o) {
      double y = 0;
      for (std::size_t w = 0; w < kWaves; ++w) {
        const std::size_t wave = o * kWaves + w;
        double angle = phase[wave];
        for (std::size_t j = 0; j < inputs; ++j)
          angle += direction[wave * inputs + j] * static_cast<double>(set.inputs[r * inputs + j]);
        y += std::sin(angle);
      }
      set.targets.push_back(static_cast<float>(y / std::sqrt(kWaves / 2.0)));
    }
  return set;
}

std::vector<std::vector<float>> starting_weights(const Case& of) {
  RandomStream random(of.seed, kWeights);
  std::vector<std::vector<float>> out;
  for (std::size_t l = 0; l < of.layers(); ++l) {
    const double deviation = std::sqrt(2.0 / static_cast<double>(of.fan_in(l)));
    std::vector<float>& weights = out.emplace_back();
    for (std::size_t i = 0; i < of.widths[l + 1] * of.fan_in(l); ++i) {
      const bool is_bias = of.bias && i % of.fan_in(l) == of.widths[l];
      weights.push_back(is_bias ? 0.0f : static_cast<float>(deviation * random.normal()));
    }
  }
  return out;
}

}  // namespace postrider::bench
