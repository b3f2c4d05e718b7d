#include "postrider/trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <utility>

#include "base/workers.h"
#include "postrider/error.h"
#include "train/checkpoint.h"
#include "train/extrapolation.h"
#include "train/groups.h"
#include "train/identity.h"
#include "train/rebuild.h"
#include "train/round.h"
#include "train/state.h"
#include "train/stopping.h"
#include "train/stream.h"
#include "train/targets.h"

namespace postrider {
namespace {

// Rounds between two questions whether to go on.
constexpr std::size_t kAskEvery = 64;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Epochs over rows with stored messages, in the precision of the network.
template <class T>
class TypedTrainer : public TrainerState {
 public:
  TypedTrainer(NetworkArrays<T>& network, const TrainerOptions& trainer_options,
               const TrainingTask& training_task)
      : network_(network),
        workers_(resolved_threads(trainer_options.threads)),
        targets_(make_targets<T>(training_task.likelihood, network.engine.layers().back().units)),
        sweeps_(network.engine, *targets_),
        rounds_(network, sweeps_, *targets_, workers_,
                {trainer_options.parallel_groups, training_task.power, trainer_options.damping,
                 trainer_options.block}) {
    options = trainer_options;
    task = training_task;
    options.noise_variance = targets_->first_noise(options.noise_variance);
    progress_.noise = noise_variance = options.noise_variance;
    if (network_.engine.rule() == Rule::direct && options.block > 1)
      reject("block", options.block, "must be 1 with the direct rule");
  }

  TrainingRows prepared(const InputRows& inputs) const override {
    const Precision precision = std::is_same_v<T, float> ? Precision::float32 : Precision::float64;
    return {inputs, network_.engine.layers().front().inputs, precision};
  }

  FitReport fit(const RowsToLearn& rows, const TrainingCallbacks& callbacks) override {
    begin(rows);
    FitReport report;
    // Asked before the first epoch as well: the run that was resumed may have come to its end.
    while (!should_stop(options, examples_, progress_, report.reason)) {
      EpochReport epoch;
      if (!run_epoch(callbacks, epoch)) {
        report.reason = StopReason::cancelled;
        break;
      }
      progress_.epochs.push_back(std::move(epoch));
      const EpochReport& last = progress_.epochs.back();
      if (!is_sound(last)) {
        report.reason = StopReason::diverged;
        break;
      }
      const bool is_saved =
          !options.checkpoint.empty() && checkpoints_.is_due(options.checkpoint_every, last.epoch);
      if (is_saved) save_progress(callbacks);
      if (callbacks.progress && !callbacks.progress(last)) {
        // Whoever ends training may mean to go on.
        if (!is_saved && saves_by_time(options)) save_progress(callbacks);
        report.reason = StopReason::cancelled;
        break;
      }
    }
    report.epochs = progress_.epochs;
    report.damping = options.damping;
    finish(report);
    return report;
  }

  StreamReport partial_fit(const RowsToLearn& rows) override {
    sweeps_.load(rows);
    if (!streaming_) begin_stream();
    const StreamReport report = learn_stream(
        network_, sweeps_, *targets_, *streaming_,
        {task.power, options.block, options.learn_noise, options.noise_variance, options.horizon},
        progress_.noise, seen);
    noise_variance = progress_.noise;
    scores = std::move(streaming_->scores);
    return report;
  }

  void undo_partial_fit() override {
    if (!streaming_) return;
    if (streaming_->window) streaming_->window->clear();
    network_.belief = streaming_->belief_before;
    progress_.noise = noise_variance = streaming_->noise_before;
    seen = streaming_->seen_before;
  }

 private:
  void begin_stream() {
    // What walks is not the sum of what rows said.
    const bool has_window = options.stream_memory > 0 && task.drift.walk == 0;
    streaming_.emplace(StreamWork<T>{
        Sweeper<T>(network_.engine, targets_->observation(), &workers_),
        Drift<T>(network_, task.drift, walking_outputs(task.likelihood, network_), !has_window)});
    if (has_window)
      streaming_->window =
          std::make_unique<RowWindow<T>>(network_, task, options.stream_memory, options.seed);
  }

  void begin(const RowsToLearn& rows) {
    sweeps_.load(rows);
    left_out_.assign(rows.left_out.begin(), rows.left_out.end());
    std::vector<std::uint32_t> learned = learned_rows(rows);
    examples_ = learned.size();
    const MessageShape shape = network_.engine.message_shape();
    const SweepLayer& first = network_.engine.layers().front();
    const InputRowsView<T>& inputs = sweeps_.examples().inputs;
    const std::size_t group_size = group_size_of(
        options, examples_, message_bytes(shape, first, inputs, learned), kBudgetAlone);
    groups_ =
        std::make_unique<Groups>(std::move(learned), group_size, options.shuffle, options.seed);
    store_.reset();  // before the next one takes its file
    store_ = std::make_unique<MessageStore<T>>(
        shape, input_lists(*groups_, inputs, first),
        options.store == Store::mapped_file ? options.store_path : std::string());
    store_bytes = store_->bytes();
    progress_ = Progress<T>::beginning(options.noise_variance, network_.prior,
                                       left_out_.size() * network_.engine.layers().back().units);
    network_.belief = network_.prior;
    if (extrapolation_of(options) > 0)
      extrapolation_.emplace(network_.prior, 1);
    else
      extrapolation_.reset();
    seen = 0;
    resume_if_asked(rows, group_size);
  }

  void resume_if_asked(const RowsToLearn& rows, std::size_t group_size) {
    if (resume_from.empty() && options.resume && std::filesystem::exists(options.checkpoint))
      resume_from = options.checkpoint;
    if (resume_from.empty() && options.checkpoint.empty()) return;
    identity_ = identity_of(rows, options, task, group_size, network_);
    if (resume_from.empty()) return;
    read_checkpoint<T>(resume_from, state(), identity_);
    resume_from.clear();
    if (keeps_last(options)) last_ = network_.belief;
    seen = progress_.epoch * examples_;
  }

  // False if it was interrupted.
  bool run_epoch(const TrainingCallbacks& callbacks, EpochReport& report) {
    const auto start = std::chrono::steady_clock::now();
    report.epoch = ++progress_.epoch;
    report.max_epochs = most_epochs(options, examples_);
    rounds_.allow_varying_noise(report.epoch > options.constant_noise_epochs);
    sweeps_.set_noise(progress_.noise);
    if (extrapolation_) {
      const double share = may_run_ahead(progress_) ? extrapolation_of(options) : 0;
      extrapolation_->put_in(std::span(&share, 1), network_.belief);
    }
    if (!refresh_all(callbacks, report.epoch)) return false;
    if (extrapolation_) extrapolation_->take_out(network_.belief);
    const RoundEvents events = rounds_.take_events();
    report.linearised = events.linearised;
    report.silent = events.silent;
    report.guarded = events.guarded;
    report.bounded = events.bounded;
    report.drift = rebuilt_belief();
    const std::vector<double> noise = progress_.noise;
    close_epoch<T>(progress_, options, task.known_noise, *targets_, assessment(), report,
                   [&](WeightMessages<T>& best) { best = network_.belief; });
    keep_left_out(progress_, options, sweeps_.predicted(), left_out_, report);
    report.typical_noise_variance = targets_->typical_noise(sweeps_.predicted(), progress_.noise);
    if (options.stopping == Stopping::paper)
      report.training_score = sweeps_.score(network_.belief, noise, rounds_.workspace());
    progress_.training_score_before = progress_.training_score;
    progress_.training_score = report.training_score;
    report.seconds = seconds_since(start);
    if (keeps_last(options)) last_ = network_.belief;
    return true;
  }

  bool refresh_all(const TrainingCallbacks& callbacks, std::size_t epoch) {
    const std::vector<std::uint32_t> order = groups_->order(epoch);
    for (std::size_t g = 0, step = 0; g < order.size(); g += options.parallel_groups) {
      if (callbacks.interrupted && step++ % kAskEvery == 0 && callbacks.interrupted()) return false;
      const std::span<const std::uint32_t> round =
          std::span(order).subspan(g, std::min(options.parallel_groups, order.size() - g));
      rounds_.refresh(round, *groups_, *store_, seen);
      for (const std::uint32_t group : round) seen += groups_->rows(group).size();
    }
    return true;
  }

  // By the rows that it leaves out, or else by all as they were predicted before they were learned.
  Assessment assessment() {
    if (left_out_.empty()) return targets_->assess_all(sweeps_.predicted(), progress_.noise);
    rounds_.judge(left_out_);
    return targets_->assess(sweeps_.predicted(), progress_.noise, left_out_);
  }

  double rebuilt_belief() {
    return rebuild(network_.engine, network_.prior, *store_, network_.belief, 1, workers_).front();
  }

  TrainingState<T> state() {
    return {std::span(&progress_, 1), network_.belief, *store_,
            extrapolation_ ? extrapolation_->means() : std::span<T>()};
  }

  void save_progress(const TrainingCallbacks& callbacks) {
    checkpoints_.attempt([&] { write_checkpoint<T>(options.checkpoint, state(), identity_); },
                         callbacks);
  }

  // The beliefs of an epoch that was interrupted count only if there is none before.
  void finish(FitReport& report) {
    left_out = {};
    const bool is_whole = report.epochs.size() == progress_.epoch;
    report.best_epoch = report.epochs.empty() ? 0 : report.epochs.back().epoch;
    if (report.epochs.empty() && !is_whole && std::isfinite(rebuilt_belief())) {
      noise_variance = progress_.noise;
      return;
    }
    if (!keeps_last(options) || report.reason == StopReason::diverged || report.epochs.empty()) {
      report.best_epoch = progress_.best_epoch;
      network_.belief = progress_.best;
      progress_.noise = progress_.best_noise;
    } else if (!is_whole) {
      network_.belief = last_;
    }
    noise_variance = progress_.noise;
    left_out = progress_.left_out.of_epoch(report.best_epoch);
  }

  NetworkArrays<T>& network_;
  Workers workers_;
  std::unique_ptr<Targets<T>> targets_;
  RowSweeps<T> sweeps_;
  Rounds<T> rounds_;
  std::unique_ptr<Groups> groups_;
  std::unique_ptr<MessageStore<T>> store_;
  Progress<T> progress_;
  std::optional<Extrapolation<T>> extrapolation_;
  std::optional<StreamWork<T>> streaming_;
  WeightMessages<T> last_;  // of the last whole epoch, if that is what counts
  std::uint64_t identity_ = 0;
  CheckpointAttempts checkpoints_;
  std::vector<std::uint32_t> left_out_;
  std::size_t examples_ = 0;  // learned in each epoch
};

}  // namespace

Trainer::Trainer(Network& network, const TrainerOptions& options, const TrainingTask& task) {
  options.validate();
  task.validate();
  state_ = std::visit(
      [&]<class T>(NetworkArrays<T>& arrays) -> std::unique_ptr<TrainerState> {
        return std::make_unique<TypedTrainer<T>>(arrays, options, task);
      },
      network.state().arrays);
}
Trainer::~Trainer() = default;
Trainer::Trainer(Trainer&&) noexcept = default;
Trainer& Trainer::operator=(Trainer&&) noexcept = default;

FitReport Trainer::fit(const InputRows& inputs, std::span<const double> targets,
                       std::span<const double> sample_weights, const TrainingCallbacks& callbacks) {
  return state_->fit({state_->prepared(inputs), targets, sample_weights}, callbacks);
}

StreamReport Trainer::partial_fit(const InputRows& inputs, std::span<const double> targets,
                                  std::span<const double> sample_weights) {
  return state_->partial_fit({state_->prepared(inputs), targets, sample_weights});
}

void Trainer::resume(const std::string& checkpoint) { state_->resume_from = checkpoint; }

const std::vector<double>& Trainer::noise_variance() const { return state_->noise_variance; }

std::size_t Trainer::seen() const { return state_->seen; }

void Trainer::set_seen(std::size_t examples) { state_->seen = examples; }

std::size_t Trainer::store_bytes() const { return state_->store_bytes; }

}  // namespace postrider
