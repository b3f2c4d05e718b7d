#include "estimator/fitting.h"

#include <algorithm>
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

// Many classes of few rows each: an epoch takes a time that grows with the square of the classes, and there is little to learn from. Epochs that nobody
// asked for are bounded then, such that all of them take minutes at most.
TrainerOptions training_for(const EstimatorState& state, const FittedModel& model,
                            std::size_t rows) {
  constexpr std::size_t kManyClasses = 50, kFewRows = 10, kFewestEpochs = 5;
  constexpr double kWork = 1e8;
  TrainerOptions out = state.options.training;
  const std::size_t classes = model.shape().outputs();
  if (model.kind != ModelKind::classifier || out.max_epochs > 0 || classes <= kManyClasses ||
      rows >= kFewRows * classes)
    return out;
  const auto each = static_cast<double>(rows * classes * classes);
  out.max_epochs = std::max(kFewestEpochs, static_cast<std::size_t>(kWork / each));
  return out;
}

std::function<bool()> end_of_trials(const TrainingCallbacks& callbacks) {
  if (!callbacks.enough_trials) return callbacks.interrupted;
  return [&] {
    return callbacks.enough_trials() || (callbacks.interrupted && callbacks.interrupted());
  };
}

}  // namespace

Fitting::Fitting(EstimatorState& state, const EstimatorRows& rows,
                 const TrainingCallbacks& callbacks)
    : state_(state),
      near_(rows, state.kind() != ModelKind::classifier, state.options.outputs),
      rows_(near_.rows()),
      summary_(summary_of(state, rows_, /*is_stream=*/false, end_of_trials(callbacks))),
      model_(untrained(state, summary_, /*is_stream=*/false)),
      task_(task_for(state.options, model_, rows_)),
      damping_(
          damping_for(state.options, task_.power, model_.members.front().network.weight_count())),
      folds_(rows_, model_.kind, model_.members.size(), state.options.training.seed,
             summary_.cut_by),
      targets_(postrider::told(model_, rows_.targets)),
      prepared_(encoded_inputs(model_, rows_.inputs).view(), model_.encoding.inputs(),
                state.options.precision) {
  if (model_.kind != ModelKind::classifier)
    score_shift_ = model_.targets.score_shift(rows_.targets);
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

TrainerOptions Fitting::training() const { return training_for(state_, model_, rows_.count); }

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
  if (callbacks.warning)
    for (const std::string& text : fitting.told(callbacks.input_names)) callbacks.warning(text);
  std::vector<TrainingJob> jobs = fitting.jobs();
  TrainingCallbacks shifting = callbacks;
  if (callbacks.progress)
    shifting.progress = [&](EpochReport report) {
      report.score += fitting.score_shift();
      return callbacks.progress(report);
    };
  std::vector<TrainingOutcome> outcomes = fit_all(jobs, fitting.training(), shifting);
  return fitting.conclude(std::move(outcomes));
}

}  // namespace postrider
