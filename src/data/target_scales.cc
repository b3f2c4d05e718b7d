#include "data/target_scales.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "postrider/error.h"

namespace postrider {
using namespace internal;

namespace internal {

namespace {

// Anscombe's for counts: with it the variance of a root hardly depends on the mean.
constexpr double kOffset = 3.0 / 8;
// Targets that differ by less have nearly straight roots.
constexpr double kLeastRatio = 4;
// Fewer targets may be multiples of something by chance; a finer lattice is none for any score.
constexpr std::size_t kFewestOnLattice = 50;
constexpr double kFinestLattice = 1e-3;
constexpr double kOffLattice = 1e-6;  // in steps, for rounding

bool are_multiples(std::span<const double> targets, std::size_t column, std::size_t columns,
                   double step) {
  for (std::size_t i = column; i < targets.size(); i += columns) {
    const double steps = targets[i] / step;
    if (!std::isnan(steps) && !(std::abs(steps - std::round(steps)) < kOffLattice)) return false;
  }
  return true;
}

// The power of ten that brings this unit near to 1.
std::string factor_for(double unit) {
  return "1e" + std::to_string(static_cast<int>(-std::floor(std::log10(unit))));
}

struct Range {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  double least_above_zero = least;
};

Range range_of(std::span<const double> targets, std::size_t column, std::size_t columns) {
  Range out;
  for (std::size_t i = column; i < targets.size(); i += columns) {
    if (std::isnan(targets[i])) continue;
    out.least = std::min(out.least, targets[i]);
    out.most = std::max(out.most, targets[i]);
    if (targets[i] > 0) out.least_above_zero = std::min(out.least_above_zero, targets[i]);
  }
  return out;
}

bool has_roots(const Range& range) {
  return range.least >= 0 && std::isfinite(range.most) &&
         kOffset * range.least_above_zero > kLeastTargetUnit;
}

}  // namespace

}  // namespace internal

std::string_view to_string(EstimatorOptions::TargetScale scale) {
  switch (scale) {
    case EstimatorOptions::TargetScale::chosen:
      return "chosen";
    case EstimatorOptions::TargetScale::root:
      return "root";
    case EstimatorOptions::TargetScale::plain:
      break;
  }
  return "plain";
}

namespace internal {

// Below zero with the slope that the root has there: g(0) + g'(0) y.
double TargetColumn::learned(double target) const {
  if (!is_root()) return (target - mean_) / deviation_;
  const double at_zero = std::sqrt(offset_);
  const double g = target < 0 ? at_zero + target / (2 * at_zero) : std::sqrt(target + offset_);
  return (g - mean_) / deviation_;
}

double TargetColumn::in_units(double learned) const {
  const double g = mean_ + deviation_ * learned;
  if (!is_root()) return g;
  const double floor = std::sqrt(offset_);
  return g <= floor ? 0
                    : (g - floor) * (g + floor);  // g^2 - offset without a difference of squares
}

TargetColumn TargetColumn::on_lattice(double step) const {
  TargetColumn out = *this;
  out.step_ = step;
  return out;
}

double TargetColumn::slope(double learned) const {
  if (!is_root()) return deviation_;
  const double g = mean_ + deviation_ * learned;
  return g <= std::sqrt(offset_) ? 0 : 2 * g * deviation_;
}

double TargetColumn::log_slope(double target) const {
  if (!is_root()) return -std::log(deviation_);
  return -std::log(2 * std::sqrt(std::max(target, 0.0) + offset_)) - std::log(deviation_);
}

TargetScales::TargetScales(Scales plain) : plain_(std::move(plain)) {
  for (std::size_t c = 0; c < plain_.columns(); ++c)
    learned_.emplace_back(plain_.mean[c], plain_.deviation[c]);
}

TargetScales::TargetScales(Scales plain, std::vector<TargetColumn> learned)
    : plain_(std::move(plain)), learned_(std::move(learned)) {
  if (learned_.size() != plain_.columns())
    reject("targets", learned_.size(), "must be as many on their scale as there are");
  for (const TargetColumn& column : learned_)
    if (!(std::isfinite(column.mean()) && column.deviation() > 0 &&
          std::isfinite(column.deviation()) && column.offset() >= 0 &&
          std::isfinite(column.offset())))
      reject("targets", column.deviation(), "must have a scale of finite numbers");
}

bool TargetScales::has_root() const {
  return std::ranges::any_of(learned_, [](const TargetColumn& each) { return each.is_root(); });
}

bool TargetScales::has_lattice() const {
  return std::ranges::any_of(learned_, [](const TargetColumn& each) { return each.step() > 0; });
}

TargetScales TargetScales::on_lattices(std::span<const double> steps) const {
  TargetScales out = *this;
  for (std::size_t c = 0; c < columns(); ++c) {
    if (!(steps[c] >= 0 && std::isfinite(steps[c])))
      reject("targets", steps[c], "must lie on a lattice whose step is a finite number");
    out.learned_[c] = learned_[c].on_lattice(steps[c]);
  }
  return out;
}

std::vector<double> TargetScales::learned(std::span<const double> rows) const {
  std::vector<double> out(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) out[i] = learned_[i % columns()].learned(rows[i]);
  return out;
}

double TargetScales::score_shift(std::span<const double> rows) const {
  if (!has_root()) return 0;
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (std::isnan(rows[i])) continue;
    const std::size_t c = i % columns();
    sum += learned_[c].log_slope(rows[i]) + std::log(plain_.deviation[c]);
    count += 1;
  }
  return count > 0 ? sum / count : 0;
}

void expect_target_units(const Scales& targets) {
  for (const double unit : targets.deviation)
    if (unit < kLeastTargetUnit)
      reject(
          "standard deviation of the targets", unit,
          "must be at least 1e-120, or predicted variances are too small to be numbers: multiply "
          "the targets by " +
              factor_for(unit));
}

bool may_be_root(std::span<const double> targets, std::size_t columns) {
  for (std::size_t c = 0; c < columns; ++c) {
    const Range range = range_of(targets, c, columns);
    if (!has_roots(range) || range.most <= kLeastRatio * range.least) return false;
  }
  return true;
}

double lattice_step(std::span<const double> targets, std::size_t column, std::size_t columns,
                    double deviation) {
  const Range range = range_of(targets, column, columns);
  std::size_t count = 0;
  for (std::size_t i = column; i < targets.size(); i += columns) count += !std::isnan(targets[i]);
  const double whole = range.most - range.least;
  if (count < kFewestOnLattice || !(whole > 0 && std::isfinite(whole))) return 0;
  for (double power = std::floor(std::log10(whole));; power -= 1)
    for (const double mantissa : {5.0, 2.5, 2.0, 1.0}) {
      const double step = mantissa * std::pow(10, power);
      if (step < kFinestLattice * deviation) return 0;
      if (step <= whole && are_multiples(targets, column, columns, step)) return step;
    }
}

namespace {

TargetScales without_lattices(std::span<const double> targets, std::size_t columns,
                              std::span<const double> weights,
                              EstimatorOptions::TargetScale scale) {
  Scales plain = scales_of(Inputs(targets).of_columns(columns), weights);
  expect_target_units(plain);
  if (scale != EstimatorOptions::TargetScale::root) return TargetScales(std::move(plain));
  std::vector<double> roots(targets.begin(), targets.end());
  std::vector<double> offsets(columns);
  for (std::size_t c = 0; c < columns; ++c) {
    const Range range = range_of(targets, c, columns);
    if (!has_roots(range))
      reject("target_scale", "root", "needs targets that are not negative, and not all zero");
    offsets[c] = kOffset * range.least_above_zero;
    for (std::size_t i = c; i < roots.size(); i += columns)
      roots[i] = std::sqrt(roots[i] + offsets[c]);
  }
  const Scales found = scales_of(Inputs(roots).of_columns(columns), weights);
  std::vector<TargetColumn> learned;
  for (std::size_t c = 0; c < columns; ++c)
    learned.emplace_back(found.mean[c], found.deviation[c], offsets[c]);
  return {std::move(plain), std::move(learned)};
}

}  // namespace

TargetScales target_scales(std::span<const double> targets, std::size_t columns,
                           std::span<const double> weights, EstimatorOptions::TargetScale scale) {
  const TargetScales found = without_lattices(targets, columns, weights, scale);
  std::vector<double> steps;
  for (std::size_t c = 0; c < columns; ++c)
    steps.push_back(lattice_step(targets, c, columns, found.plain().deviation[c]));
  return found.on_lattices(steps);
}

}  // namespace internal
}  // namespace postrider
