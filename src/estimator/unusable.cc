#include "estimator/unusable.h"

#include <cmath>

#include "postrider/error.h"

namespace postrider::internal {
namespace {

// In standard deviations: beyond it, what a network of floats makes of an input is no number.
constexpr double kFarthestNumber = 1e12;

constexpr const char* kFarInput =
    "must lie within 1e12 standard deviations of what its column had when the scales were set";
constexpr const char* kFarTargetReason =
    "must lie within 1e12 standard deviations of those that set the scales";

// What a number must be to have a square; none if it has one, or is missing (NaN).
const char* size_wanted(double value) {
  if (std::isinf(value)) return "must be finite, or NaN for a missing value";
  return std::abs(value) > kLargestNumber ? "must be at most 1e120 in size" : nullptr;
}

void add_first_number(std::vector<Estimator::UnusableNumber>& to,
                      const Estimator::UnusableNumber& one) {
  if (to.empty() || to.back().row != one.row) to.push_back(one);
}

}  // namespace

std::vector<Estimator::UnusableNumber> unusable_inputs(const Scales& scales, const Inputs& inputs) {
  std::vector<Estimator::UnusableNumber> out;
  inputs.of_columns(scales.columns())
      .for_each([&](std::size_t row, std::size_t column, double value) {
        if (const char* wanted = size_wanted(value))
          add_first_number(out, {row, column, value, wanted});
        else if (std::abs(value - scales.mean[column]) > kFarthestNumber * scales.deviation[column])
          add_first_number(out, {row, column, value, kFarInput});
      });
  return out;
}

std::vector<Estimator::UnusableNumber> unusable_targets(const TargetScales& scales,
                                                        std::span<const double> targets) {
  std::vector<Estimator::UnusableNumber> out;
  const std::vector<double> learned = scales.learned(targets);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const std::size_t row = i / scales.columns();
    if (const char* wanted = size_wanted(targets[i]))
      add_first_number(out, {row, Estimator::UnusableNumber::kTarget, targets[i], wanted});
    else if (std::abs(learned[i]) > kFarthestNumber)
      add_first_number(out,
                       {row, Estimator::UnusableNumber::kTarget, targets[i], kFarTargetReason});
  }
  return out;
}

void expect_none(const char* field, const std::vector<Estimator::UnusableNumber>& unusable) {
  if (!unusable.empty()) reject(field, unusable.front().value, unusable.front().wanted);
}

void expect_finite(const char* field, std::span<const double> values) {
  for (const double value : values)
    if (const char* wanted = size_wanted(value)) reject(field, value, wanted);
}

}  // namespace postrider::internal
