#include "estimator/fitting.h"

#include <utility>

#include "estimator/copies.h"
#include "estimator/ensemble.h"
#include "estimator/out_of_fold.h"
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

}  // namespace

Fitting::Fitting(EstimatorState& state, const EstimatorRows& rows,
                 const TrainingCallbacks& callbacks)
    : state_(state),
      rows_(rows),
      summary_(summary_of(state, rows, /*is_stream=*/false, callbacks.interrupted)),
      model_(untrained(state, summary_, /*is_stream=*/false)),
      task_(task_for(state.options, model_, rows)),
      damping_(
          damping_for(state.options, task_.power, model_.members.front().network.weight_count())),
      folds_(rows, model_.kind, model_.members.size(), state.options.training.seed,
             summary_.cut_by),
      targets_(told(model_, rows.targets)),
      prepared_(encoded_inputs(model_, rows.inputs).view(), model_.encoding.inputs(),
                state.options.precision) {
  if (model_.kind != ModelKind::classifier) score_shift_ = model_.targets.score_shift(rows.targets);
}

std::vector<TrainingJob> Fitting::jobs(std::size_t team) {
  std::vector<TrainingJob> out;
  for (std::size_t m = 0; m < model_.members.size(); ++m) {
    const RowsToLearn rows{prepared_, targets_, rows_.sample_weights, {}, folds_.left_out_by(m)};
    out.push_back(
        {model_.members[m].network, rows, task_, state_.options.training.seed, damping_, team});
  }
  return out;
}

std::vector<FitReport> Fitting::conclude(std::vector<TrainingOutcome> outcomes) {
  TakenOutcomes taken = take_outcomes(model_.members, outcomes);
  if (model_.members.empty()) return {};
  const bool noise_is_known = !task_.known_noise.empty();
  const bool noise_stays = noise_is_known || !state_.options.training.learn_noise;
  if (noise_is_known)  // also where training ended before it came down to it
    for (Member& member : model_.members) member.noise_variance = task_.known_noise;
  Workers workers(resolved_threads(state_.options.training.threads));
  judge_ensemble(
      model_, rows_, targets_,
      honest_predictions(model_, rows_, targets_, {folds_, taken.numbers, taken.left_out}, workers),
      noise_stays, workers);
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
