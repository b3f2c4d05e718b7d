#include "estimator/fitting.h"

#include <limits>
#include <utility>

#include "estimator/copies.h"
#include "estimator/ensemble.h"
#include "estimator/outlooks.h"
#include "estimator/untrained.h"
#include "train/fleet.h"

namespace postrider {
namespace {

TrainingTask task_for(const EstimatorOptions& options, const FittedModel& model,
                      const EstimatorRows& rows) {
  TrainingTask out =
      task_of(model.kind, power_for(options.power, model.members.front().network.weight_count(),
                                    effective_rows(rows.count, rows.sample_weights)));
  out.known_noise = known_noise(options, model.targets);
  return out;
}

CalibrationSplit split_for(const EstimatorOptions& options, ModelKind kind, std::size_t rows) {
  if (kind != ModelKind::classifier) return {};
  return {rows, options.calibration_share, options.training.seed};
}

}  // namespace

Fitting::Fitting(EstimatorState& state, const EstimatorRows& rows,
                 const TrainingCallbacks& callbacks)
    : state_(state),
      rows_(rows),
      model_(untrained(state, rows, /*is_stream=*/false, callbacks.interrupted)),
      task_(task_for(state.options, model_, rows)),
      dampings_(dampings_to_try(state.options, task_.power,
                                model_.members.front().network.weight_count())),
      split_(split_for(state.options, model_.kind, rows.count)),
      targets_(told(model_, rows.targets)),
      prepared_(encoded_inputs(model_, rows.inputs).view(), model_.encoding.inputs(),
                state.options.precision) {
  model_.members = members_to_try(std::move(model_.members), dampings_.size());
  if (model_.kind != ModelKind::classifier) score_shift_ = model_.targets.score_shift(rows.targets);
  for (const std::uint32_t row : split_.held_out)
    targets_[row] = std::numeric_limits<double>::quiet_NaN();
}

std::vector<TrainingJob> Fitting::jobs() {
  std::vector<TrainingJob> out;
  const RowsToLearn rows{prepared_, targets_, rows_.sample_weights, split_.learned};
  const TrainerOptions& training = state_.options.training;
  const std::size_t each = model_.members.size() / dampings_.size();
  for (std::size_t m = 0; m < model_.members.size(); ++m)
    out.push_back({model_.members[m].network, rows, task_, training.seed, dampings_[m / each]});
  return out;
}

std::vector<FitReport> Fitting::conclude(std::vector<TrainingOutcome> outcomes) {
  keep_best_way(dampings_.size(), model_.members, outcomes);
  TakenOutcomes taken = take_outcomes(model_.members, outcomes);
  if (model_.members.empty()) return {};
  if (!task_.known_noise.empty())  // also where training ended before it came down to it
    for (Member& member : model_.members) member.noise_variance = task_.known_noise;
  if (model_.kind == ModelKind::classifier)
    model_.temperature = temperature_of(model_, rows_, split_.held_out,
                                        resolved_threads(state_.options.training.threads));
  else
    model_.left_out = left_out_scores(model_, taken.left_out, targets_, rows_.sample_weights);
  model_.rows_learned = rows_.count;
  state_.streams.reset();
  state_.fitted = std::move(model_);
  for (FitReport& report : taken.reports)
    for (EpochReport& epoch : report.epochs) epoch.score += score_shift_;
  return std::move(taken.reports);
}

std::vector<FitReport> fit(EstimatorState& state, const EstimatorRows& rows,
                           const TrainingCallbacks& callbacks) {
  Fitting fitting(state, rows, callbacks);
  std::vector<TrainingJob> jobs = fitting.jobs();
  TrainingCallbacks shifting = callbacks;
  if (callbacks.progress)
    shifting.progress = [&](EpochReport report) {
      report.score += fitting.score_shift();
      return callbacks.progress(report);
    };
  std::vector<TrainingOutcome> outcomes = fit_all(jobs, state.options.training, shifting);
  return fitting.conclude(std::move(outcomes));
}

}  // namespace postrider
