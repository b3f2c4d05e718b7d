// Regression with uncertainty, in the units of the data: fit, predict, save.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "postrider/distributions.h"
#include "postrider/estimator.h"
#include "postrider/export.h"
#include "postrider/function_draw.h"

namespace postrider {

class POSTRIDER_EXPORT Regressor : public Estimator {
 public:
  struct Validation;  // in postrider/cross_validation.h

  // Throws InvalidArgument, also for options that are for classes only.
  explicit Regressor(const EstimatorOptions& options = {});

  // Forgets what was learned before. The number of inputs follows from the sizes. A report per member.
  // Sample weights are none, or a number above 0 for each row, which counts as so many: see
  // weighted_rows(). Rows that are alike, such as those of one customer or of one week, have the same number in `groups`:
  // no network is judged by rows of a group of which it has learned others. None: only exact copies stay together.
  using Estimator::fit;
  using Estimator::partial_fit;
  std::vector<FitReport> fit(const Inputs& inputs, std::span<const double> targets,
                             std::span<const double> sample_weights = {},
                             const TrainingCallbacks& callbacks = {},
                             std::span<const std::uint32_t> groups = {});
  // Learns from more rows, each once. The first rows set the scales: as many as the first call has, but
  // at least a hundred, until when all rows so far are learned anew with each call.
  StreamReport partial_fit(const Inputs& inputs, std::span<const double> targets,
                           std::span<const double> sample_weights = {});

  Forecast predict(const Inputs& inputs) const;
  // All that is known of new observations, in memory that grows with the rows.
  Distributions distributions(const Inputs& inputs) const;
  // Parts of it, in memory that does not grow: the mean log-density of the targets that are numbers, quantiles,
  // intervals and draws.
  double log_likelihood(const Inputs& inputs, std::span<const double> targets) const;
  std::vector<double> quantiles(const Inputs& inputs, std::span<const double> probabilities) const;
  std::vector<double> intervals(const Inputs& inputs, double level) const;
  std::vector<double> samples(const Inputs& inputs, std::size_t count, std::uint64_t seed,
                              std::size_t first_row = 0) const;

  // Functions without noise, each a draw of all weights of one member: see postrider/function_draw.h. The first ones are
  // the same whatever the count. With the rows that were learned, and perhaps more of them, the weights of the last
  // layer are drawn from their exact belief, and functions come as near to the targets as the noise lets them: noise of
  // this standard deviation, in the unit of the targets, where it is known, else as it was learned.
  std::vector<FunctionDraw> sample_functions(std::size_t count, std::uint64_t seed) const;
  std::vector<FunctionDraw> sample_functions(std::size_t count, std::uint64_t seed,
                                             const Examples& rows,
                                             std::optional<double> noise_std = {}) const;

  // Throw FileError or CorruptFile.
  static Regressor load(const std::string& path);
  static Regressor load(std::istream& from);

  // Throw NotFitted before anything was learned.
  std::vector<ColumnScale> target_scales() const;
  EstimatorOptions::TargetScale target_scale() const;  // plain or root
  // The steps of the lattices that targets lie on, such as 1 of counts and ratings; 0: none. Where there is one, log-densities are those of
  // Distributions::log_densities() all the same: means over a target's cell.
  std::vector<double> target_steps() const;
  // For each target, what a difference of 1 as it is learned is in its unit; on the root scale at the targets' mean.
  std::vector<double> learned_units() const;
  // As they are learned.
  std::vector<double> standardised_targets(std::span<const double> targets) const;

 private:
  explicit Regressor(std::unique_ptr<internal::EstimatorState> state);
};

}  // namespace postrider
