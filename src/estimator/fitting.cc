#include "estimator/fitting.h"

#include <algorithm>
#include <utility>

#include "estimator/encoding_choice.h"
#include "estimator/far_cells.h"
#include "estimator/learned_shape.h"
#include "estimator/left_out_sample.h"
#include "estimator/model_options.h"
#include "postrider/error.h"
#include "train/fleet.h"

namespace postrider::internal {
namespace {

network::Trainer::Task task_for(const EstimatorOptions& options, const FittedModel& model,
                                const Examples& rows) {
  network::Trainer::Task out =
      task_of(model.kind, power_for(options.power, model.members.front().network.weight_count(),
                                    effective_rows(rows.count(), rows.sample_weights)));
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

bool has_epochs(const FitReport& report) { return !report.epochs.empty(); }

}  // namespace

Fitting::Fitting(EstimatorState& state, const Examples& rows, const Preparation& preparation)
    : state_(state),
      rows_(rows),
      encoding_(preparation.encoding),
      summary_(summary_of(state, rows_, preparation)),
      model_(untrained(state, summary_, /*is_stream=*/false)),
      task_(task_for(state.options, model_, rows_)),
      damping_(
          damping_for(state.options, task_.power, model_.members.front().network.weight_count())),
      folds_(rows_, model_.kind, model_.members.size(), state.options.training.seed,
             summary_.cut_by),
      targets_(told(model_, rows_.targets)),
      prepared_(encoded_inputs(model_, rows_.inputs), model_.encoding.inputs(),
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

TrainerOptions Fitting::training() const { return training_for(state_, model_, rows_.count()); }

HonestPredictions Fitting::honest(FittedModel& model, const TakenOutcomes& taken,
                                  Workers& workers) const {
  if (has_known_noise())  // also where training ended before it came down to it
    for (Member& member : model.members) member.noise_variance = task_.known_noise;
  return honest_predictions(model, rows_, targets_, {folds_, taken.numbers, taken.left_out},
                            workers);
}

std::vector<FitReport> Fitting::conclude(std::vector<TrainingOutcome> outcomes,
                                         const TrainingCallbacks& callbacks) {
  TakenOutcomes taken = take_outcomes(model_.members, outcomes);
  if (model_.members.empty()) return {};
  Workers workers(resolved_threads(state_.options.training.threads));
  const bool noise_stays = has_known_noise() || !state_.options.training.learn_noise;
  const HonestPredictions found = honest(model_, taken, workers);
  judge_ensemble(model_, rows_, targets_, found, noise_stays, workers);
  if (can_learn_shape(state_.options, model_, found))
    learn_shape(state_.options, encoding_, model_, rows_, targets_, found, workers, callbacks);
  model_.left_out_sample =
      left_out_sample(rows_, {folds_, taken.numbers, taken.left_out}, model_.shape().outputs());
  model_.rows_learned = rows_.count();
  state_.streams.reset();
  state_.fitted = std::move(model_);
  for (FitReport& report : taken.reports)
    for (EpochReport& epoch : report.epochs) epoch.score += score_shift_;
  return std::move(taken.reports);
}

std::vector<TrainingJob>& Fitting::own_jobs() {
  if (own_jobs_.empty()) own_jobs_ = jobs();
  return own_jobs_;
}

bool Fitting::has_stretches() {
  if (!pack_) pack_ = begin_together(own_jobs(), training());
  return pack_ != nullptr;
}

void Fitting::train(std::size_t epochs, const TrainingCallbacks& callbacks) {
  has_begun_ = true;
  if (has_stretches()) return pack_->run(epochs, callbacks);
  TrainerOptions options = training();
  options.max_epochs = options.max_epochs == 0 ? epochs : std::min(options.max_epochs, epochs);
  outcomes_ = fit_all(own_jobs(), options, callbacks);
}

std::vector<TrainingOutcome> Fitting::outcomes_so_far() const {
  if (!has_begun_) return {};
  return pack_ ? pack_->outcomes() : outcomes_;
}

bool Fitting::has_learned() const {
  return std::ranges::any_of(outcomes_so_far(), has_epochs, &TrainingOutcome::report);
}

double Fitting::last_gain() const {
  const std::vector<TrainingOutcome> outcomes = outcomes_so_far();
  double sum = 0;
  for (const TrainingOutcome& each : outcomes) {
    const std::vector<EpochReport>& epochs = each.report.epochs;
    if (epochs.size() > 1) sum += epochs.back().score - epochs[epochs.size() - 2].score;
  }
  return outcomes.empty() ? 0 : sum / static_cast<double>(outcomes.size());
}

template <class Use>
auto Fitting::by_now(Use&& use) const {
  using Found = decltype(use(model_, std::declval<HonestPredictions>(), std::declval<Workers&>()));
  try {
    std::vector<TrainingOutcome> outcomes = outcomes_so_far();
    if (outcomes.empty()) return Found{};
    FittedModel model = model_;  // whose networks have what counts only now
    const TakenOutcomes taken = take_outcomes(model.members, outcomes);
    if (model.members.empty()) return Found{};
    Workers workers(resolved_threads(state_.options.training.threads));
    return use(model, honest(model, taken, workers), workers);
  } catch (const InvalidArgument&) {
    throw;
  } catch (const Error&) {
    return Found{};
  }
}

RowScores Fitting::scores() {
  return by_now([&](const FittedModel& model, HonestPredictions found, Workers& workers) {
    std::vector<double> scores = log_likelihoods(model, rows_, targets_, found, workers);
    return RowScores{std::move(found.rows), std::move(scores)};
  });
}

RowProbabilities Fitting::left_out_probabilities() {
  return by_now([&](const FittedModel& model, const HonestPredictions& found, Workers& workers) {
    return internal::left_out_probabilities(model, rows_, found, workers);
  });
}

void Fitting::finish() { conclude(outcomes_so_far()); }

// Tells of epochs that nobody was told of; false if somebody ends training.
bool Fitting::tell_of_past(const TrainingCallbacks& callbacks) const {
  if (!callbacks.progress) return true;
  const std::vector<TrainingOutcome> outcomes = outcomes_so_far();
  const std::size_t epochs = outcomes.empty() ? 0 : outcomes.front().report.epochs.size();
  for (std::size_t e = 0; e < epochs; ++e)
    for (std::size_t m = 0; m < outcomes.size(); ++m) {
      const std::vector<EpochReport>& own = outcomes[m].report.epochs;
      if (e >= own.size()) continue;
      EpochReport report = own[e];
      report.member = m;
      report.members = outcomes.size();
      if (!callbacks.progress(report)) return false;
    }
  return true;
}

std::vector<FitReport> Fitting::fit(const TrainingCallbacks& callbacks) {
  TrainingCallbacks shifting = callbacks;
  if (callbacks.progress)
    shifting.progress = [&](EpochReport report) {
      report.score += score_shift_;
      report.members = model_.members.size();
      return callbacks.progress(report);
    };
  if (!pack_) return conclude(fit_all(own_jobs(), training(), shifting), callbacks);
  if (!tell_of_past(shifting)) shifting.interrupted = [] { return true; };
  pack_->run(kAllEpochs, shifting);
  return conclude(pack_->outcomes(), callbacks);
}

std::vector<FitReport> fit(EstimatorState& state, const Examples& rows,
                           const TrainingCallbacks& callbacks) {
  const WithoutFarCells near(rows, state.kind() != ModelKind::classifier, state.options.outputs);
  if (callbacks.warning)
    for (const std::string& text : near.told(callbacks.input_names)) callbacks.warning(text);
  ChosenPreparation chosen = choose_preparation(state, near.rows(), callbacks);
  TrainingCallbacks own = callbacks;
  if (chosen.small)
    own.interrupted = [&callbacks] {
      return (callbacks.interrupted && callbacks.interrupted()) ||
             (callbacks.ends_first_epoch && callbacks.ends_first_epoch());
    };
  std::vector<FitReport> out;
  if (!chosen.small || !own.interrupted()) {
    if (!chosen.begun)
      chosen.begun = std::make_unique<Fitting>(state, near.rows(), chosen.preparation);
    out = chosen.begun->fit(own);
  }
  if (!chosen.small || std::ranges::any_of(out, has_epochs)) return out;
  state.streams.reset();
  state.fitted = std::move(chosen.small->model);
  return std::move(chosen.small->reports);
}

}  // namespace postrider::internal
