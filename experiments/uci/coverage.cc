#include "coverage.h"

#include <fmt/format.h>

#include <cmath>

namespace postrider::experiments {
namespace {

double deviation_of(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  double mean = 0, square = 0;
  for (const double value : values) mean += value / count;
  for (const double value : values) square += (value - mean) * (value - mean) / count;
  return std::sqrt(square);
}

Held held_by(const std::vector<double>& bounds, const std::vector<double>& targets) {
  Held out;
  const double count = static_cast<double>(targets.size()), unit = deviation_of(targets);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const double low = bounds[2 * i], high = bounds[2 * i + 1];
    out.share += (low <= targets[i] && targets[i] <= high ? 1 : 0) / count;
    out.width += (high - low) / unit / count;
  }
  return out;
}

Object describe(const std::array<Held, kLevels.size()>& held) {
  Object out;
  for (std::size_t l = 0; l < kLevels.size(); ++l)
    out.push_back({fmt::format("{:g}", kLevels[l]),
                   {Object{{"coverage", {held[l].share}}, {"width", {held[l].width}}}}});
  return out;
}

}  // namespace

HeldAtLevels held_by(const Distributions& found, const std::vector<double>& targets) {
  HeldAtLevels out;
  for (std::size_t l = 0; l < kLevels.size(); ++l) {
    const double below = 0.5 * (1 - kLevels[l]);
    out.conformal[l] = held_by(found.intervals(kLevels[l]), targets);
    out.beliefs[l] = held_by(found.quantiles(std::array{below, 1 - below}), targets);
  }
  return out;
}

HeldAtLevels mean_over(const std::vector<HeldAtLevels>& splits) {
  HeldAtLevels out;
  const auto count = static_cast<double>(splits.size());
  for (const HeldAtLevels& split : splits)
    for (const auto part : {&HeldAtLevels::conformal, &HeldAtLevels::beliefs})
      for (std::size_t l = 0; l < kLevels.size(); ++l) {
        (out.*part)[l].share += (split.*part)[l].share / count;
        (out.*part)[l].width += (split.*part)[l].width / count;
      }
  return out;
}

Object describe(const HeldAtLevels& held, std::size_t splits) {
  return {{"splits", {static_cast<std::int64_t>(splits)}},
          {"conformal", {describe(held.conformal)}},
          {"beliefs", {describe(held.beliefs)}}};
}

}  // namespace postrider::experiments
