#include "train/epoch_driver.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "train/checkpoint.h"
#include "train/extrapolation.h"
#include "train/rebuild.h"
#include "train/stopping.h"

namespace postrider::internal {
namespace {

// Rows of an epoch, about, between two questions whether to go on.
constexpr std::size_t kAskEvery = 64;

template <class T>
class EpochDriver : public TrainingRun {
 public:
  EpochDriver(std::unique_ptr<EpochEngine<T>> engine, const TrainerOptions& options,
              const std::string& resume_from)
      : options_(options),
        engine_(std::move(engine)),
        lanes_(engine_->lanes()),
        arrays_(engine_->arrays()),
        drift_(arrays_.side_by_side) {
    for (const auto& lane : lanes_)
      progress_.push_back(Progress<T>::beginning(
          lane->first_noise, lane->network.prior,
          lane->left_out.size() * lane->network.engine.layers().back().units));
    if (extrapolation_of(options_) > 0) extrapolation_.emplace(arrays_.prior, drift_.size());
    resume_if_asked(resume_from);
  }

  void run(std::size_t epochs, const TrainingCallbacks& callbacks) override {
    // Asked before the first epoch as well: the run that was resumed may have come to its end.
    stop_where_due();
    while (running().empty() ? is_refitting() : epoch_ < epochs) {
      if (!run_epoch(callbacks)) {
        stop_all(FitReport::StopReason::cancelled);
        break;
      }
      end_refits();
      leave_diverged();
      const bool is_saved = !running().empty() && !options_.checkpoint.empty() &&
                            checkpoints_.is_due(options_.checkpoint_every, epoch_);
      if (is_saved) save_progress(callbacks);
      if (!tell(callbacks)) {
        // Whoever ends training may mean to go on.
        if (!is_saved && !running().empty() && saves_by_time(options_)) save_progress(callbacks);
        stop_all(FitReport::StopReason::cancelled);
      }
      stop_where_due();
    }
  }

  std::vector<TrainingOutcome> outcomes() override {
    std::vector<TrainingOutcome> out;
    for (std::size_t m = 0; m < lanes_.size(); ++m) {
      TrainingLane<T>& lane = *lanes_[m];
      const Progress<T>& progress = progress_[m];
      if (lane.is_running) conclude(m);
      out.push_back({lane.report, lane.has_best ? progress.best_noise : progress.noise,
                     progress.epochs.size() * lane.learned() + lane.begun,
                     progress.left_out.of_epoch(lane.report.best_epoch)});
    }
    return out;
  }

 private:
  // --- checkpoints -------------------------------------------------------------------------------------

  void resume_if_asked(const std::string& resume_from) {
    const bool has_own = options_.resume && std::filesystem::exists(options_.checkpoint);
    const std::string from = resume_from.empty() && has_own ? options_.checkpoint : resume_from;
    if (from.empty() && options_.checkpoint.empty()) return;
    for (const auto& lane : lanes_) {
      TrainerOptions own = options_;
      own.seed = lane->job.seed;
      own.damping = lane->job.damping_or(options_);
      own.noise_variance = lane->first_noise;
      identity_ = identity_ * 0x100000001b3u + identity_of(lane->job.rows, own, lane->job.task,
                                                           arrays_.group_size, lane->network);
    }
    if (from.empty()) return;
    read_checkpoint<T>(from, state(), identity_);
    for (std::size_t m = 0; m < lanes_.size(); ++m) {
      epoch_ = std::max(epoch_, progress_[m].epoch);
      drift_[m] = progress_[m].epochs.back().drift;
      if (progress_[m].refits_left > 0) engine_->learn_all_rows(m);
    }
    if (keeps_last(options_)) last_ = arrays_.belief;
  }

  TrainingState<T> state() {
    return {progress_, arrays_.belief, arrays_.store,
            extrapolation_ ? extrapolation_->means() : std::span<T>()};
  }

  void save_progress(const TrainingCallbacks& callbacks) {
    checkpoints_.attempt([&] { write_checkpoint<T>(options_.checkpoint, state(), identity_); },
                         callbacks);
  }

  // --- an epoch ----------------------------------------------------------------------------------------

  // False if it was interrupted.
  bool run_epoch(const TrainingCallbacks& callbacks) {
    const auto start = std::chrono::steady_clock::now();
    ++epoch_;
    for (const auto& lane : lanes_) lane->epoch = {};
    for (const std::size_t m : running()) progress_[m].epoch = epoch_;
    if (extrapolation_) extrapolation_->put_in(shares_ahead(), arrays_.belief);
    if (!refresh_all(callbacks)) return false;
    if (extrapolation_) extrapolation_->take_out(arrays_.belief);
    if (epoch_ % arrays_.rebuild_every == 0)
      drift_ = rebuilt();
    else
      tell_apart_unsound();
    const std::vector<Assessment> found = engine_->assess(progress_, drift_);
    for (const std::size_t m : running()) close_lane(m, found[m]);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    for (const std::size_t m : running())
      progress_[m].epochs.back().seconds = taken.count() / static_cast<double>(running().size());
    if (keeps_last(options_)) last_ = arrays_.belief;
    return true;
  }

  std::vector<double> shares_ahead() const {
    std::vector<double> out(drift_.size());
    for (const std::size_t m : running())
      out[m] = extrapolation_of(options_) * part_ahead(progress_[m], lanes_[m]->visited.size());
    return out;
  }

  bool refresh_all(const TrainingCallbacks& callbacks) {
    engine_->begin_epoch(epoch_, progress_);
    const std::vector<std::uint32_t> order = longest().order(epoch_);
    // Groups of many rows take long, those of large networks seconds in all.
    const std::size_t ask_every = std::max<std::size_t>(1, kAskEvery / arrays_.group_size);
    for (std::size_t done = 0, step = 0; done < order.size(); done += options_.parallel_groups) {
      if (callbacks.interrupted && step++ % ask_every == 0 && callbacks.interrupted()) {
        for (const std::size_t m : running())
          lanes_[m]->begun = lanes_[m]->rows_in(std::span(order).first(done));
        return false;
      }
      engine_->refresh(order, done);
    }
    return true;
  }

  const Groups& longest() const {
    return *(*std::ranges::max_element(lanes_, {}, [](const auto& lane) {
              return lane->groups->size();
            }))->groups;
  }

  std::vector<double> rebuilt() {
    return rebuild(lanes_.front()->network.engine, arrays_.prior, arrays_.store, arrays_.belief,
                   arrays_.side_by_side, arrays_.workers);
  }

  // A belief that is no longer proper is an infinite drift.
  void tell_apart_unsound() {
    const WeightMessages<T>& belief = arrays_.belief;
    for (std::size_t at = 0; at < belief.size(); ++at)
      if (!(belief.rho[at] > 0 && std::isfinite(belief.rho[at]) && std::isfinite(belief.tau[at])))
        drift_[at % drift_.size()] = std::numeric_limits<double>::infinity();
  }

  void close_lane(std::size_t m, const Assessment& found) {
    TrainingLane<T>& lane = *lanes_[m];
    Progress<T>& progress = progress_[m];
    EpochReport report = std::move(lane.epoch);
    report.epoch = epoch_;
    report.max_epochs = most_epochs(options_, lane.learned());
    report.drift = drift_[m];
    if (options_.stopping == TrainerOptions::Stopping::paper)
      report.training_score = engine_->training_score(progress.noise);
    close_epoch<T>(progress, options_, lane.job.task.known_noise, *lane.targets, found, report,
                   [&](WeightMessages<T>& best) { engine_->copy(arrays_.belief, m, best); });
    const Predictions<const T> predicted = lane.sweeps.predicted();
    keep_left_out(progress, options_, predicted, lane.left_out, report);
    report.typical_noise_variance = lane.targets->typical_noise(predicted, progress.noise);
    progress.training_score_before = std::exchange(progress.training_score, report.training_score);
    progress.epochs.push_back(std::move(report));
  }

  // --- all rows, also those that were left out ---------------------------------------------------------

  bool is_refitting() const {
    return std::ranges::any_of(progress_, [](const auto& of) { return of.refits_left > 0; });
  }

  // After the last epoch of a network, which goes on by itself whatever the others do.
  void begin_refit(std::size_t m, FitReport::StopReason reason) {
    TrainingLane<T>& lane = *lanes_[m];
    Progress<T>& progress = progress_[m];
    if (reason == FitReport::StopReason::cancelled || reason == FitReport::StopReason::diverged ||
        lane.left_out.empty())
      return;
    const std::size_t epochs = refit_epochs(options_, progress);
    if (epochs == 0 || !engine_->learn_all_rows(m)) return;
    progress.refits_left = epochs;
    progress.noise = progress.best_noise;
  }

  // What networks know then takes the place of their best epoch, whose score and noise stay, unless they predict the rows
  // that they had left out worse than before they learned them: then one of the team has gone astray.
  void end_refits() {
    std::vector<std::size_t> ended;
    for (std::size_t m = 0; m < lanes_.size(); ++m)
      if (progress_[m].refits_left > 0 && progress_[m].epoch < epoch_ &&
          --progress_[m].refits_left == 0)
        ended.push_back(m);
    std::map<std::size_t, Assessment> of_teams;
    for (const std::size_t m : ended)
      of_teams[lanes_[m]->job.team].add(lanes_[m]->assessment(progress_[m].noise));
    for (const std::size_t m : ended) {
      Progress<T>& progress = progress_[m];
      if (!(of_teams[lanes_[m]->job.team].score >= progress.best_score)) continue;
      engine_->copy(arrays_.belief, m, progress.best);
      lanes_[m]->network.belief = progress.best;
      lanes_[m]->report.refit_epochs = epoch_ - progress.epoch;
    }
  }

  void cancel_refits() {
    for (Progress<T>& progress : progress_) progress.refits_left = 0;
  }

  // --- the end -----------------------------------------------------------------------------------------

  // Numbers of lanes.
  std::vector<std::size_t> running() const {
    std::vector<std::size_t> out;
    for (std::size_t m = 0; m < lanes_.size(); ++m)
      if (lanes_[m]->is_running) out.push_back(m);
    return out;
  }

  bool tell(const TrainingCallbacks& callbacks) {
    if (!callbacks.progress) return true;
    for (const std::size_t m : running()) {
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
  // would be refused in a checkpoint; none is written when all have stopped.
  void leave_diverged() {
    for (const std::size_t m : running())
      if (has_diverged(m)) stop(m, FitReport::StopReason::diverged);
    if (running().empty()) return;
    for (std::size_t m = 0; m < lanes_.size(); ++m)
      if (!lanes_[m]->is_running && !std::isfinite(drift_[m])) empty_lane(m);
  }

  void empty_lane(std::size_t m) {
    for (std::size_t at = m; at < arrays_.belief.size(); at += drift_.size()) {
      arrays_.belief.tau[at] = arrays_.prior.tau[at];
      arrays_.belief.rho[at] = arrays_.prior.rho[at];
    }
    const std::span<T> messages = arrays_.store.all();
    for (std::size_t at = m; at < messages.size(); at += drift_.size()) messages[at] = 0;
  }

  void stop_where_due() {
    for (const std::size_t m : running()) {
      // A network that had stopped before the others does not begin anew if the run is resumed with more
      // patience: what followed in its lane was not watched.
      FitReport::StopReason reason =
          has_diverged(m) ? FitReport::StopReason::diverged : FitReport::StopReason::patience;
      if (has_diverged(m) || progress_[m].epoch < epoch_ ||
          should_stop(options_, lanes_[m]->learned(), progress_[m], reason))
        stop(m, reason);
    }
  }

  void stop_all(FitReport::StopReason reason) {
    cancel_refits();
    for (const std::size_t m : running()) stop(m, reason);
  }

  void stop(std::size_t m, FitReport::StopReason reason) {
    lanes_[m]->is_running = false;
    lanes_[m]->report.reason = reason;
    conclude(m);
    if (progress_[m].epoch == epoch_) begin_refit(m, reason);
  }

  // The network gets the beliefs that count; those of an epoch that was interrupted do if there is none
  // before. A pack may go on from where it is.
  void conclude(std::size_t m) {
    TrainingLane<T>& lane = *lanes_[m];
    const Progress<T>& progress = progress_[m];
    lane.report.damping = lane.job.damping_or(options_);
    lane.report.epochs = progress.epochs;
    lane.has_best = false;
    if (progress.epochs.empty() && progress.epoch > 0) {
      rebuilt();
      WeightMessages<T> begun = lane.network.prior;
      engine_->copy(arrays_.belief, m, begun);
      lane.network.belief = is_sound(begun) ? begun : lane.network.prior;
    } else if (!keeps_last(options_) || lane.report.reason == FitReport::StopReason::diverged ||
               progress.epochs.empty()) {
      lane.report.best_epoch = progress.best_epoch;
      lane.network.belief = progress.best;
      lane.has_best = true;
    } else {
      lane.report.best_epoch = progress.epochs.back().epoch;
      engine_->copy(last_, m, lane.network.belief);
    }
  }

  TrainerOptions options_;
  std::unique_ptr<EpochEngine<T>> engine_;
  TrainingLanes<T>& lanes_;
  EngineArrays<T> arrays_;
  std::vector<Progress<T>> progress_;
  std::optional<Extrapolation<T>> extrapolation_;
  WeightMessages<T> last_;     // of the last whole epoch, if that is what counts
  std::vector<double> drift_;  // of all lanes that lie side by side
  std::size_t epoch_ = 0;
  std::uint64_t identity_ = 0;
  CheckpointAttempts checkpoints_;
};

}  // namespace

template <class T>
std::unique_ptr<TrainingRun> begin_epochs(std::unique_ptr<EpochEngine<T>> engine,
                                          const TrainerOptions& options,
                                          const std::string& resume_from) {
  return std::make_unique<EpochDriver<T>>(std::move(engine), options, resume_from);
}

template std::unique_ptr<TrainingRun> begin_epochs(std::unique_ptr<EpochEngine<float>>,
                                                   const TrainerOptions&, const std::string&);
template std::unique_ptr<TrainingRun> begin_epochs(std::unique_ptr<EpochEngine<double>>,
                                                   const TrainerOptions&, const std::string&);

}  // namespace postrider::internal
