// The units in which the targets of a regression are learned, and the scale.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "data/standardise.h"
#include "postrider/estimator_options.h"

namespace postrider::internal {

// Predicted variances are in squares of the targets' unit. A standard deviation below this has no
// square that is a number with all its digits, once noise far below it is asked for, too.
inline constexpr double kLeastTargetUnit = 1e-120;

// One target y is learned as t = (g(y) - mean) / deviation.
//   plain:  g(y) = y
//   root:   g(y) = sqrt(y + offset), and straight on below y = 0: what was learned may still come with
//           a negative target, which is then far off and not impossible. No prediction is below 0.
// Targets that are counts, ratings or rounded lie on a lattice of some step h. A density there could be made as high as one likes;
// such a target is judged by the mass of its cell, from y - h/2 to y + h/2, divided by h.
class TargetColumn {
 public:
  TargetColumn() = default;
  TargetColumn(double mean, double deviation) : mean_(mean), deviation_(deviation) {}
  // On the root scale; the offset must be above 0.
  TargetColumn(double mean, double deviation, double offset)
      : mean_(mean), deviation_(deviation), offset_(offset) {}

  double mean() const { return mean_; }
  double deviation() const { return deviation_; }
  double offset() const { return offset_; }
  bool is_root() const { return offset_ > 0; }
  double step() const { return step_; }  // of the lattice; 0: there is none
  TargetColumn on_lattice(double step) const;

  double learned(double target) const;
  double in_units(double learned) const;
  // dy/dt; 0 where no target lies.
  double slope(double learned) const;
  // log dt/dy, which turns a density of t into one of y.
  double log_slope(double target) const;

 private:
  double mean_ = 0, deviation_ = 1;
  double offset_ = 0;  // 0: plain
  double step_ = 0;
};

class TargetScales {
 public:
  TargetScales() = default;
  // All plain.
  explicit TargetScales(Scales plain);
  // Throws InvalidArgument if sizes differ, or if one is on the root scale with units that make no sense.
  TargetScales(Scales plain, std::vector<TargetColumn> learned);

  std::size_t columns() const { return learned_.size(); }
  const TargetColumn& column(std::size_t c) const { return learned_[c]; }
  const Scales& plain() const { return plain_; }  // of the targets themselves
  bool has_root() const;
  bool has_lattice() const;
  // The same with these steps, one for each column.
  TargetScales on_lattices(std::span<const double> steps) const;

  // Rows of targets, one after the other, as they are learned.
  std::vector<double> learned(std::span<const double> rows) const;
  // What the mean log-density of learned targets lacks to that of the same rows standardised plainly.
  double score_shift(std::span<const double> rows) const;

 private:
  Scales plain_;
  std::vector<TargetColumn> learned_;
};

// Takes scales that were found already. Throws InvalidArgument if a column varies, but by less than
// kLeastTargetUnit: the message says by what to multiply.
void expect_target_units(const Scales& targets);

// Whether the root scale could suit all columns: no target is negative, and the largest is several times the least.
bool may_be_root(std::span<const double> targets, std::size_t columns);

// The step of the lattice that all numbers of a column lie on: the largest of 1, 2, 2.5 and 5 times a power of ten whose multiples they all
// are. 0 if that is less than a thousandth of their standard deviation, which no score notices, or if rows are too few to tell.
double lattice_step(std::span<const double> targets, std::size_t column, std::size_t columns,
                    double deviation);

// Throws as expect_target_units(), and if roots are asked for and a target has none.
TargetScales target_scales(std::span<const double> targets, std::size_t columns,
                           std::span<const double> weights, EstimatorOptions::TargetScale scale);

}  // namespace postrider::internal
