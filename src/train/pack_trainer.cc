#include "train/pack_trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/workers.h"
#include "postrider/error.h"
#include "train/checkpoint.h"
#include "train/extrapolation.h"
#include "train/identity.h"
#include "train/pack_judge.h"
#include "train/pack_lane.h"
#include "train/pack_rows.h"
#include "train/rebuild.h"
#include "train/stopping.h"

namespace postrider {
namespace {

// Groups between two questions whether to go on.
constexpr std::size_t kGroupsPerQuestion = 64;
// Running sums of floats drift by a millionth in so many epochs; to rebuild them reads all messages.
constexpr std::size_t kRebuildEvery = 8;
// Events are counted in lanes: so far even a float counts one by one.
constexpr std::size_t kCountable = std::size_t{1} << 23;

template <class T>
class PackTrainer : public PackTraining {
 public:
  PackTrainer(std::span<TrainingJob> jobs, const TrainerOptions& options)
      : options_(options),
        workers_(resolved_threads(options.threads)),
        engine_(layers_of(jobs), jobs.front().network.options().rule),
        beliefs_(engine_.weights()),
        prior_(beliefs_.belief.size()),
        workspace_(engine_.layers()) {
    if (engine_.rule() == Rule::direct && options_.block > 1)
      reject("block", options_.block, "must be 1 with the direct rule");
    lanes_.reserve(jobs.size());
    for (TrainingJob& job : jobs) lanes_.push_back(std::make_unique<PackLane<T>>(job, options_));
    begin();
  }

  void run(std::size_t epochs, const TrainingCallbacks& callbacks) override {
    stop_where_due();
    while (any_is_running() && epoch_ < epochs) {
      if (!run_epoch(callbacks)) {
        stop_all(StopReason::cancelled);
        break;
      }
      leave_diverged();
      const bool is_saved = any_is_running() && !options_.checkpoint.empty() &&
                            checkpoints_.is_due(options_.checkpoint_every, epoch_);
      if (is_saved) save_progress(callbacks);
      if (!tell(callbacks)) {
        // Whoever ends training may mean to go on.
        if (!is_saved && any_is_running() && saves_by_time(options_)) save_progress(callbacks);
        stop_all(StopReason::cancelled);
      }
      stop_where_due();
    }
  }

  std::vector<TrainingOutcome> outcomes() override {
    std::vector<TrainingOutcome> out;
    for (std::size_t m = 0; m < lanes_.size(); ++m) {
      PackLane<T>& lane = *lanes_[m];
      if (lane.is_running) conclude(m);
      const std::size_t counts = lane.report.best_epoch;
      out.push_back({lane.report, noise_that_counts(m),
                     progress_[m].epochs.size() * lane.learned() + lane.begun,
                     progress_[m].left_out.of_epoch(counts)});
    }
    return out;
  }

 private:
  static std::vector<SweepLayer> layers_of(std::span<TrainingJob> jobs) {
    return sweep_layers(jobs.front().network.options());
  }

  // --- the beginning -----------------------------------------------------------------------------------

  void begin() {
    std::size_t most = 0;
    for (const auto& lane : lanes_) most = std::max(most, lane->visited.size());
    const bool same_rows = std::ranges::all_of(
        lanes_, [&](const auto& lane) { return learn_the_same(lane->job, lanes_.front()->job); });
    group_size_ = group_size_of(options_, most, bytes_of_pack<T>(lanes_.front()->job, same_rows),
                                kBudgetTogether);
    std::vector<typename PackRows<T>::Lane> rows;
    for (auto& lane : lanes_) {
      lane->groups =
          std::make_unique<Groups>(lane->visited, group_size_, options_.shuffle, lane->job.seed);
      rows.push_back({*lane->groups, lane->powers(lane->job.damping_or(options_))});
      progress_.push_back(
          Progress<T>::beginning(lane->first_noise, lane->network.prior,
                                 lane->left_out.size() * engine_.layers().back().units));
    }
    const auto inputs_of = [](const auto& lane) { return &lane->job.rows.inputs; };
    const bool same_inputs = std::ranges::all_of(
        lanes_, [&](const auto& lane) { return inputs_of(lane) == inputs_of(lanes_.front()); });
    rows_ = std::make_unique<PackRows<T>>(rows, same_inputs);
    judge_ = std::make_unique<PackJudge<T>>(lanes_, same_inputs);
    set_priors();
    for (std::size_t m = 0; m < lanes_.size(); ++m) {
      data_.examples[m] = lanes_[m]->sweeps.examples();
      data_.predictions[m] = lanes_[m]->sweeps.predictions();
    }
    store_ = std::make_unique<MessageStore<T>>(
        engine_.message_shape(), rows_->input_lists(data_, engine_.layers().front()),
        options_.store == Store::mapped_file ? options_.store_path : std::string());
    resume_if_asked();
  }

  // Lanes that no network is in have the first one's priors.
  void set_priors() {
    for (std::size_t k = 0; k < engine_.weights(); ++k) {
      for (std::size_t m = 0; m < kPack; ++m) {
        const NetworkArrays<T>& network = lanes_[m < lanes_.size() ? m : 0]->network;
        prior_.tau[k * kPack + m] = network.prior.tau[network.positions[k]];
        prior_.rho[k * kPack + m] = network.prior.rho[network.positions[k]];
      }
      beliefs_.least[k] = *std::min_element(&prior_.rho[k * kPack], &prior_.rho[k * kPack] + kPack);
    }
    beliefs_.belief = prior_;
    if (extrapolation_of(options_) > 0) extrapolation_.emplace(prior_, kPack);
  }

  void resume_if_asked() {
    if (options_.checkpoint.empty()) return;
    for (std::size_t m = 0; m < lanes_.size(); ++m) {
      const PackLane<T>& lane = *lanes_[m];
      TrainerOptions own = options_;
      own.seed = lane.job.seed;
      own.damping = lane.job.damping_or(options_);
      own.noise_variance = lane.first_noise;
      identity_ = identity_ * 0x100000001b3u +
                  identity_of(lane.job.rows, own, lane.job.task, group_size_, lane.network);
    }
    if (!options_.resume || !std::filesystem::exists(options_.checkpoint)) return;
    read_checkpoint<T>(options_.checkpoint, state(), identity_);
    for (std::size_t m = 0; m < lanes_.size(); ++m) {
      epoch_ = std::max(epoch_, progress_[m].epoch);
      drift_[m] = progress_[m].epochs.back().drift;
    }
    if (keeps_last(options_)) last_ = beliefs_.belief;
  }

  // --- an epoch ----------------------------------------------------------------------------------------

  // False if it was interrupted.
  bool run_epoch(const TrainingCallbacks& callbacks) {
    const auto start = std::chrono::steady_clock::now();
    ++epoch_;
    for (std::size_t m = 0; m < lanes_.size(); ++m) {
      lanes_[m]->epoch = {};
      if (lanes_[m]->is_running) progress_[m].epoch = epoch_;
    }
    if (extrapolation_) extrapolation_->put_in(shares_ahead(), beliefs_.belief);
    if (!refresh_all(callbacks)) return false;
    if (extrapolation_) extrapolation_->take_out(beliefs_.belief);
    if (epoch_ % kRebuildEvery == 0)
      drift_ = rebuild(lanes_.front()->network.engine, prior_, *store_, beliefs_.belief, kPack,
                       workers_);
    tell_apart_unsound();
    judge_->predict(engine_, beliefs_, data_, noise_of_all(), workspace_);
    const std::vector<Assessment> found = judge_->assessments(progress_, drift_);
    const auto running = static_cast<double>(
        std::ranges::count_if(lanes_, [](const auto& lane) { return lane->is_running; }));
    for (std::size_t m = 0; m < lanes_.size(); ++m)
      if (lanes_[m]->is_running) close_lane(m, found[m]);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    for (std::size_t m = 0; m < lanes_.size(); ++m)
      if (lanes_[m]->is_running) progress_[m].epochs.back().seconds = taken.count() / running;
    if (keeps_last(options_)) last_ = beliefs_.belief;
    return true;
  }

  std::vector<double> shares_ahead() const {
    std::vector<double> out(kPack);
    for (std::size_t m = 0; m < lanes_.size(); ++m)
      if (lanes_[m]->is_running && may_run_ahead(progress_[m])) out[m] = extrapolation_of(options_);
    return out;
  }

  bool refresh_all(const TrainingCallbacks& callbacks) {
    const std::unique_ptr<Observation<T>> observation =
        lanes_.front()->targets->observation(epoch_ > options_.constant_noise_epochs);
    const std::vector<T> noise = noise_of_all(), damping = damping_of_all();
    const std::vector<std::uint32_t> order = longest().order(epoch_);
    std::size_t counted_steps = 0;
    for (std::size_t step = 0; step < order.size(); ++step) {
      if (callbacks.interrupted && step % kGroupsPerQuestion == 0 && callbacks.interrupted()) {
        for (auto& lane : lanes_)
          if (lane->is_running) lane->begun = lane->rows_in(std::span(order).first(step));
        return false;
      }
      PackGroup<T> group = rows_->group(order[step]);
      if (step + 1 < order.size()) {
        group.next_tau = store_->tau(order[step + 1]);
        group.next_rho = store_->rho(order[step + 1]);
      }
      counted_steps += group.steps();
      if (counted_steps * engine_.weights() > kCountable) {
        take_events();
        counted_steps = group.steps();
      }
      engine_.refresh(
          beliefs_, store_->tau(order[step]), store_->rho(order[step]), data_, group,
          {noise, block_of(step), damping, observation.get(), judge_->asks_before_learning()},
          workspace_);
    }
    take_events();
    return true;
  }

  // As for one network alone: few examples at a time while few were seen.
  std::size_t block_of(std::size_t step) const {
    const std::size_t seen =
        epoch_ == 1 ? step * group_size_ : std::numeric_limits<std::size_t>::max();
    return block_size(lanes_.front()->network.engine, beliefs_.belief.size(), options_.block, seen);
  }

  void take_events() {
    for (std::size_t m = 0; m < lanes_.size(); ++m) lanes_[m]->add_events(workspace_.counts, m);
    workspace_.counts = {};
  }

  // A belief that is no longer proper is an infinite drift.
  void tell_apart_unsound() {
    const WeightMessages<T>& belief = beliefs_.belief;
    for (std::size_t at = 0; at < belief.size(); ++at)
      if (!(belief.rho[at] > 0 && std::isfinite(belief.rho[at]) && std::isfinite(belief.tau[at])))
        drift_[at % kPack] = std::numeric_limits<double>::infinity();
  }

  const Groups& longest() const {
    return *(*std::ranges::max_element(lanes_, {}, [](const auto& lane) {
              return lane->groups->size();
            }))->groups;
  }

  std::vector<T> noise_of_all() const {
    std::vector<T> out;
    for (std::size_t k = 0; k < progress_.front().noise.size(); ++k)
      for (std::size_t m = 0; m < kPack; ++m)
        out.push_back(static_cast<T>(progress_[m < lanes_.size() ? m : 0].noise[k]));
    return out;
  }

  // None if no network has any.
  std::vector<T> damping_of_all() const {
    std::vector<T> out(kPack);
    for (std::size_t m = 0; m < lanes_.size(); ++m)
      out[m] = static_cast<T>(lanes_[m]->job.damping_or(options_));
    if (std::ranges::all_of(out, [](T damping) { return damping == 0; })) out.clear();
    return out;
  }

  void close_lane(std::size_t m, const Assessment& found) {
    EpochReport report = std::move(lanes_[m]->epoch);
    report.epoch = epoch_;
    report.max_epochs = most_epochs(options_, lanes_[m]->learned());
    report.silent -= std::min(report.silent, activations_without_row(m));
    report.drift = drift_[m];
    const PredictedRows<T> predicted = lanes_[m]->sweeps.predicted();
    close_epoch<T>(progress_[m], options_, lanes_[m]->job.task.known_noise, *lanes_[m]->targets,
                   found, report,
                   [&](WeightMessages<T>& best) { lanes_[m]->copy(beliefs_.belief, m, best); });
    keep_left_out(progress_[m], options_, predicted, lanes_[m]->left_out, report);
    report.typical_noise_variance =
        lanes_[m]->targets->typical_noise(predicted, progress_[m].noise);
    progress_[m].epochs.push_back(std::move(report));
  }

  // At steps that are for others all activations of a network are silent.
  std::size_t activations_without_row(std::size_t m) const {
    std::size_t activations = 0;
    for (std::size_t l = 0; l + 1 < engine_.layers().size(); ++l)
      activations += engine_.layers()[l].units;
    return (rows_->steps() - lanes_[m]->visited.size()) * activations;
  }

  // --- the end -----------------------------------------------------------------------------------------

  bool any_is_running() const {
    return std::ranges::any_of(lanes_, [](const auto& lane) { return lane->is_running; });
  }

  bool tell(const TrainingCallbacks& callbacks) {
    if (!callbacks.progress) return true;
    for (std::size_t m = 0; m < lanes_.size(); ++m) {
      if (!lanes_[m]->is_running) continue;
      EpochReport report = progress_[m].epochs.back();
      report.member = m;
      if (!callbacks.progress(report)) return false;
    }
    return true;
  }

  bool has_diverged(std::size_t m) const {
    return !progress_[m].epochs.empty() && !is_sound(progress_[m].epochs.back());
  }

  // Before anybody is told of the epoch. What is not a number in a lane that nobody looks at any more
  // would be refused in a checkpoint.
  void leave_diverged() {
    for (std::size_t m = 0; m < lanes_.size(); ++m) {
      if (lanes_[m]->is_running && has_diverged(m)) stop(m, StopReason::diverged);
      if (!lanes_[m]->is_running && !std::isfinite(drift_[m])) empty_lane(m);
    }
  }

  void stop_where_due() {
    for (std::size_t m = 0; m < lanes_.size(); ++m) {
      if (!lanes_[m]->is_running) continue;
      // A network that had stopped before the others does not begin anew if the run is resumed with more
      // patience: what followed in its lane was not watched.
      StopReason reason = has_diverged(m) ? StopReason::diverged : StopReason::patience;
      if (has_diverged(m) || progress_[m].epoch < epoch_ ||
          should_stop(options_, lanes_[m]->learned(), progress_[m], reason))
        stop(m, reason);
    }
  }

  void stop_all(StopReason reason) {
    for (std::size_t m = 0; m < lanes_.size(); ++m)
      if (lanes_[m]->is_running) stop(m, reason);
  }

  void stop(std::size_t m, StopReason reason) {
    lanes_[m]->is_running = false;
    lanes_[m]->report.reason = reason;
    conclude(m);
  }

  std::vector<double> noise_that_counts(std::size_t m) const {
    return lanes_[m]->has_best ? progress_[m].best_noise : progress_[m].noise;
  }

  // The network gets the beliefs that count; those of an epoch that was interrupted do if there is none
  // before. Training may go on from where it is.
  void conclude(std::size_t m) {
    PackLane<T>& lane = *lanes_[m];
    const Progress<T>& progress = progress_[m];
    lane.report.damping = lane.job.damping_or(options_);
    lane.report.epochs = progress.epochs;
    lane.has_best = false;
    const bool is_whole = progress.epochs.size() == progress.epoch;
    if (progress.epochs.empty() && !is_whole) {
      rebuild(lanes_.front()->network.engine, prior_, *store_, beliefs_.belief, kPack, workers_);
      WeightMessages<T> begun = lane.network.prior;
      lane.copy(beliefs_.belief, m, begun);
      lane.network.belief = is_sound(begun) ? begun : lane.network.prior;
    } else if (!keeps_last(options_) || lane.report.reason == StopReason::diverged ||
               progress.epochs.empty()) {
      lane.report.best_epoch = progress.best_epoch;
      lane.network.belief = progress.best;
      lane.has_best = true;
    } else {
      lane.report.best_epoch = progress.epochs.back().epoch;
      lane.copy(last_, m, lane.network.belief);
    }
  }

  void empty_lane(std::size_t m) {
    for (std::size_t at = m; at < beliefs_.belief.size(); at += kPack) {
      beliefs_.belief.tau[at] = prior_.tau[at];
      beliefs_.belief.rho[at] = prior_.rho[at];
    }
    const std::span<T> messages = store_->all();
    for (std::size_t at = m; at < messages.size(); at += kPack) messages[at] = 0;
  }

  TrainingState<T> state() {
    return {progress_, beliefs_.belief, *store_,
            extrapolation_ ? extrapolation_->means() : std::span<T>()};
  }

  void save_progress(const TrainingCallbacks& callbacks) {
    checkpoints_.attempt([&] { write_checkpoint<T>(options_.checkpoint, state(), identity_); },
                         callbacks);
  }

  TrainerOptions options_;
  Workers workers_;
  PackEngine<T> engine_;
  PackBeliefs<T> beliefs_;
  WeightMessages<T> prior_, last_;  // last_: of the last whole epoch, if that is what counts
  std::optional<Extrapolation<T>> extrapolation_;
  PackWorkspace<T> workspace_;
  std::vector<std::unique_ptr<PackLane<T>>> lanes_;
  std::vector<Progress<T>> progress_;
  std::unique_ptr<PackJudge<T>> judge_;
  std::unique_ptr<PackRows<T>> rows_;
  std::unique_ptr<MessageStore<T>> store_;
  PackData<T> data_;
  std::vector<double> drift_ = std::vector<double>(kPack);
  std::size_t epoch_ = 0, group_size_ = 1;
  std::uint64_t identity_ = 0;
  CheckpointAttempts checkpoints_;
};

}  // namespace

bool can_be_packed(const TrainerOptions& options) {
  return options.parallel_groups == 1 && options.stopping != Stopping::paper;
}

std::unique_ptr<PackTraining> begin_pack(std::span<TrainingJob> jobs,
                                         const TrainerOptions& options) {
  check(!jobs.empty() && jobs.size() <= kPack, "a pack holds 1 to 16 networks");
  options.validate();
  for (const TrainingJob& job : jobs) job.task.validate();
  if (jobs.front().network.options().precision == Precision::float32)
    return std::make_unique<PackTrainer<float>>(jobs, options);
  return std::make_unique<PackTrainer<double>>(jobs, options);
}

std::vector<TrainingOutcome> fit_pack(std::span<TrainingJob> jobs, const TrainerOptions& options,
                                      const TrainingCallbacks& callbacks) {
  const std::unique_ptr<PackTraining> training = begin_pack(jobs, options);
  training->run(kAllEpochs, callbacks);
  return training->outcomes();
}

}  // namespace postrider
