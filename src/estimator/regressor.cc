#include "postrider/regressor.h"

#include <algorithm>
#include <cmath>

#include "base/access.h"
#include "estimator/dense.h"
#include "estimator/distributions.h"
#include "estimator/function_sampling.h"
#include "estimator/learned_shape.h"
#include "estimator/predictive.h"
#include "estimator/state.h"
#include "postrider/error.h"

namespace postrider {
using namespace internal;
namespace {

constexpr std::size_t kRowsAtOnce = 4096;

Distributions distributions_of(const EstimatorState& state, const Inputs& inputs) {
  const FittedModel& model = state.expect_fitted();
  const SparseInputs rows_of = encoded_inputs(model, inputs);
  const std::shared_ptr<Workers> workers = state.shared_workers();
  const bool is_conformal = state.options.intervals == EstimatorOptions::Intervals::conformal;
  const std::shared_ptr<const EnsemblePrediction> ensemble = state.shared_prediction();
  const std::vector<network::Network::OutputMoments> of_members =
      ensemble->predict(rows_of, *workers);
  DistributionsState out{
      model.members.size(),
      outlooks_of(model, of_members, unknown_inputs(*ensemble, rows_of, of_members, *workers)),
      model.targets,
      is_conformal ? model.left_out : std::vector<LeftOutScores>(),
      is_conformal ? model.reach : std::vector<StreamReach>(),
      workers};
  if (model.learned_shape)
    out.shapes =
        model.learned_shape->at(inputs.of_columns(model.inputs.columns()), out.outlooks, *workers);
  return Access::made_of<Distributions>(std::make_shared<const DistributionsState>(std::move(out)));
}

// Calls use(first target's place, distributions) for rows after rows: in memory that does not grow with
// their number.
template <class Use>
void for_each_block(const EstimatorState& state, const Inputs& inputs, Use&& use) {
  const FittedModel& model = state.expect_fitted();
  expect_near(model.inputs, inputs);
  const Inputs all = inputs.of_columns(model.inputs.columns());
  const std::size_t rows = all.rows();
  for (std::size_t first = 0; first < rows; first += kRowsAtOnce) {
    const std::size_t count = std::min(kRowsAtOnce, rows - first);
    use(first * model.targets.columns(), distributions_of(state, all.part(first, count)));
  }
}

void append(std::vector<double>& to, const std::vector<double>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

Regressor::Regressor(const EstimatorOptions& options)
    : Estimator(std::make_unique<EstimatorState>(options, OptionInfo::Scope::numeric_target)) {
  options.validate_for(OptionInfo::Scope::numeric_target);
}
Regressor::Regressor(std::unique_ptr<EstimatorState> state) : Estimator(std::move(state)) {}

std::vector<FitReport> Regressor::fit(const Inputs& inputs, std::span<const double> targets,
                                      std::span<const double> sample_weights,
                                      const TrainingCallbacks& callbacks,
                                      std::span<const std::uint32_t> groups) {
  const BeliefChange change(*state_);
  return internal::fit(*state_,
                       numeric_examples(inputs, targets, sample_weights, options().outputs, groups),
                       callbacks);
}

StreamReport Regressor::partial_fit(const Inputs& inputs, std::span<const double> targets,
                                    std::span<const double> sample_weights) {
  const BeliefChange change(*state_);
  return internal::partial_fit(
      *state_, numeric_examples(inputs, targets, sample_weights, options().outputs));
}

Distributions Regressor::distributions(const Inputs& inputs) const {
  return distributions_of(*state_, inputs);
}

Forecast Regressor::predict(const Inputs& inputs) const {
  Forecast out;
  for_each_block(*state_, inputs, [&](std::size_t, const Distributions& block) {
    const Forecast more = block.moments();
    append(out.mean, more.mean);
    append(out.variance, more.variance);
    append(out.noise_variance, more.noise_variance);
  });
  return out;
}

double Regressor::log_likelihood(const Inputs& inputs, std::span<const double> targets) const {
  const FittedModel& model = state_->expect_fitted();
  if (numeric_examples(inputs, targets, {}, state_->options.outputs).columns() !=
      model.inputs.columns())
    reject("inputs", inputs.values().size(), "must have as many columns as the rows learned");
  double sum = 0, count = 0;
  for_each_block(*state_, inputs, [&](std::size_t first, const Distributions& block) {
    const std::span<const double> of_block = targets.subspan(first, block.size());
    const std::vector<double> log_densities = block.log_densities(of_block);
    for (std::size_t place = 0; place < of_block.size(); ++place) {
      if (std::isnan(of_block[place])) continue;
      sum += log_densities[place];
      count += 1;
    }
  });
  return count > 0 ? sum / count : 0;
}

std::vector<double> Regressor::quantiles(const Inputs& inputs,
                                         std::span<const double> probabilities) const {
  expect_probabilities(probabilities);
  std::vector<double> out;
  for_each_block(*state_, inputs, [&](std::size_t, const Distributions& block) {
    append(out, block.quantiles(probabilities));
  });
  return out;
}

std::vector<double> Regressor::intervals(const Inputs& inputs, double level) const {
  std::vector<double> out;
  for_each_block(*state_, inputs, [&](std::size_t, const Distributions& block) {
    append(out, block.intervals(level));
  });
  return out;
}

std::vector<double> Regressor::samples(const Inputs& inputs, std::size_t count, std::uint64_t seed,
                                       std::size_t first_row) const {
  std::vector<double> out;
  for_each_block(*state_, inputs, [&](std::size_t first, const Distributions& block) {
    append(out, block.samples(count, seed, first_row + first / state_->options.outputs));
  });
  return out;
}

std::vector<FunctionDraw> Regressor::sample_functions(std::size_t count, std::uint64_t seed) const {
  return drawn_functions(state_->expect_fitted(), nullptr, count, seed, *state_->shared_workers());
}

std::vector<FunctionDraw> Regressor::sample_functions(std::size_t count, std::uint64_t seed,
                                                      const Examples& rows,
                                                      std::optional<double> noise_std) const {
  const FittedModel& model = state_->expect_fitted();
  if (numeric_examples(rows.inputs, rows.targets, rows.sample_weights, options().outputs)
          .columns() != model.inputs.columns())
    reject("inputs", rows.inputs.values().size(), "must have as many columns as the rows learned");
  if (noise_std && !(*noise_std >= 0 && std::isfinite(*noise_std)))
    reject("noise_std", *noise_std, "must be a finite number of at least 0");
  const std::shared_ptr<Workers> workers = state_->shared_workers();
  const SparseInputs encoded = internal::encoded_inputs(model, rows.inputs);
  const RowsToCondition told = rows_to_condition(
      model, rows, noise_std, state_->shared_prediction()->predict(encoded, *workers));
  return drawn_functions(model, &told, count, seed, *workers);
}

std::vector<Estimator::ColumnScale> Regressor::target_scales() const {
  return column_scales(state_->expect_fitted().targets.plain());
}

EstimatorOptions::TargetScale Regressor::target_scale() const {
  return state_->expect_fitted().targets.has_root() ? EstimatorOptions::TargetScale::root
                                                    : EstimatorOptions::TargetScale::plain;
}

std::vector<double> Regressor::target_steps() const {
  const TargetScales& targets = state_->expect_fitted().targets;
  std::vector<double> out;
  for (std::size_t o = 0; o < targets.columns(); ++o) out.push_back(targets.column(o).step());
  return out;
}

std::vector<double> Regressor::learned_units() const {
  const TargetScales& targets = state_->expect_fitted().targets;
  std::vector<double> out;
  for (std::size_t o = 0; o < targets.columns(); ++o) {
    const TargetColumn& column = targets.column(o);
    out.push_back(column.is_root() ? std::exp(-column.log_slope(targets.plain().mean[o]))
                                   : column.deviation());
  }
  return out;
}

std::vector<double> Regressor::standardised_targets(std::span<const double> targets) const {
  return state_->expect_fitted().targets.learned(targets);
}

Regressor Regressor::load(const std::string& path) {
  return Regressor(load_state(path, OptionInfo::Scope::numeric_target));
}

Regressor Regressor::load(std::istream& from) {
  return Regressor(load_state(from, OptionInfo::Scope::numeric_target));
}

}  // namespace postrider
