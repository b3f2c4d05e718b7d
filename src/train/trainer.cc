#include "postrider/trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>

#include "postrider/error.h"
#include "train/state.h"
#include "train/stopping.h"
#include "train/targets.h"

namespace postrider {
namespace {

// Beliefs larger than this are swept in blocks of examples: less than the second-level cache of
// common machines, which other data shares.
constexpr std::size_t kCacheBytes = std::size_t{1} << 20;
// How many examples must have been seen for each one in a block. Early on every example moves the
// beliefs far, and several at once from one snapshot overshoot.
constexpr std::size_t kSeenPerBlock = 16;
// In a stream, rows that count as much as what is known of the noise already.
constexpr double kStreamInertia = 100;
constexpr std::size_t kRebuildChunk = 1024;
// Groups between two questions whether to go on.
constexpr std::size_t kAskEvery = 64;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <class T>
class TypedTrainer : public TrainerState {
 public:
  TypedTrainer(NetworkArrays<T>& network, const TrainerOptions& trainer_options)
      : network_(network),
        workers_(trainer_options.threads),
        targets_(make_targets<T>(trainer_options.likelihood, outputs())) {
    options = trainer_options;
    options.noise_variance = targets_->first_noise(options.noise_variance);
    progress_.noise = options.noise_variance;
    if (network_.engine.rule() == Rule::direct && options.block > 1)
      reject("block", options.block, "must be 1 with the direct rule");
    noise_variance = progress_.noise;
    for (std::size_t i = 0; i < options.parallel_groups; ++i)
      slots_.emplace_back(network_, targets_->observation());
  }

  FitReport fit(const InputRows& inputs, std::span<const double> targets,
                std::span<const double> weights) override {
    begin(inputs, targets, weights);
    FitReport report;
    // Asked before the first epoch as well: the run that was resumed may have come to its end.
    while (!should_stop(options, progress_, report.reason)) {
      EpochReport epoch;
      if (!run_epoch(epoch)) {
        report.reason = StopReason::cancelled;
        break;
      }
      progress_.epochs.push_back(std::move(epoch));
      const EpochReport& last = progress_.epochs.back();
      if (!is_sound(last)) {
        report.reason = StopReason::diverged;
        break;
      }
      if (!options.checkpoint.empty() && last.epoch % options.checkpoint_every == 0)
        write_checkpoint(options.checkpoint, progress_, network_.belief, *store_, identity_);
      if (options.progress && !options.progress(last)) {
        report.reason = StopReason::cancelled;
        break;
      }
    }
    report.epochs = progress_.epochs;
    finish(report);
    return report;
  }

  double partial_fit(const InputRows& inputs, std::span<const double> targets,
                     std::span<const double> weights) override {
    load(inputs, targets, weights);
    const std::vector<std::uint32_t> rows = counted(examples_.size());
    SweepRecord record;
    set_sweep_noise();
    learn(network_.belief, rows, options.power, slots_.front(), record);
    seen_ += rows.size();
    const double score = targets_->score({mean_, variance_, observed_}, progress_.noise);
    if (options.learn_noise)
      progress_.noise =
          targets_->learned_noise(progress_.noise, seen_ == rows.size(), kStreamInertia);
    noise_variance = progress_.noise;
    return score;
  }

 private:
  // What one of the groups that are refreshed side by side needs.
  struct Slot {
    Slot(const NetworkArrays<T>& network, std::unique_ptr<Observation<T>> observation_of_slot)
        : workspace(network.engine.layers()),
          observation(std::move(observation_of_slot)),
          cavity(network.belief.size()) {}

    Workspace<T> workspace;
    std::unique_ptr<Observation<T>> observation;
    WeightMessages<T> cavity, belief;
    std::vector<T> kept;  // of a stored message: tau, then rho
    SweepRecord record;
    std::size_t bounded = 0;
  };

  std::size_t outputs() const { return network_.engine.layers().back().units; }

  void load(const InputRows& inputs, std::span<const double> targets,
            std::span<const double> weights) {
    const std::size_t input_count = network_.engine.layers().front().inputs;
    rows_ = std::make_unique<PreparedRows<T>>(inputs, input_count);
    const std::size_t rows = rows_->inputs.size() / input_count;
    if (rows == 0) reject("inputs", rows, "must hold at least one row");
    targets_->load(targets, rows, weights);
    mean_.assign(rows * outputs(), T{0});
    variance_.assign(rows * outputs(), T{0});
    observed_.assign(slots_.front().observation ? rows : 0, {});
    examples_ = {rows_->inputs, rows_->variances, targets_->values(), input_count, outputs()};
  }

  void begin(const InputRows& inputs, std::span<const double> targets,
             std::span<const double> row_weights) {
    load(inputs, targets, row_weights);
    const std::size_t weights = network_.belief.size();
    const std::size_t group_size =
        options.group_size > 0
            ? std::min(options.group_size, examples_.size())
            : smallest_group(examples_.size(), 2 * weights * sizeof(T), options.store_budget);
    groups_ = std::make_unique<Groups>(examples_.size(), group_size, options.shuffle, options.seed);
    store_.reset();  // before the next one takes its file
    store_ = std::make_unique<MessageStore<T>>(
        groups_->size(), weights,
        options.store == Store::mapped_file ? options.store_path : std::string());
    store_bytes = store_->bytes();
    identity_ = identity_of(inputs, targets, row_weights, options, group_size, network_);
    progress_ = {};
    progress_.noise = progress_.best_noise = options.noise_variance;
    progress_.best_score = -std::numeric_limits<double>::infinity();
    network_.belief = progress_.best = network_.prior;
    seen_ = 0;
    if (resume_from.empty() && options.resume && std::filesystem::exists(options.checkpoint))
      resume_from = options.checkpoint;
    if (resume_from.empty()) return;
    read_checkpoint(resume_from, progress_, network_.belief, *store_, identity_);
    resume_from.clear();
    seen_ = progress_.epoch * examples_.size();
  }

  // False if it was interrupted.
  bool run_epoch(EpochReport& report) {
    const auto start = std::chrono::steady_clock::now();
    report.epoch = ++progress_.epoch;
    for (Slot& slot : slots_)
      slot.observation = targets_->observation(report.epoch > options.constant_noise_epochs);
    set_sweep_noise();
    const std::vector<std::uint32_t> order = groups_->order(report.epoch);
    for (std::size_t g = 0, step = 0; g < order.size(); g += options.parallel_groups) {
      if (options.interrupted && step++ % kAskEvery == 0 && options.interrupted()) return false;
      refresh(std::span(order).subspan(g, std::min(options.parallel_groups, order.size() - g)));
    }
    for (Slot& slot : slots_) {
      report.linearised += slot.record.linearised;
      report.silent += slot.record.silent;
      report.guarded += slot.record.guarded;
      report.bounded += slot.bounded;
      slot.record = {};
      slot.bounded = 0;
    }
    report.drift = rebuild();
    report.score = targets_->score({mean_, variance_, observed_}, progress_.noise);
    if (is_sound(report) && report.score > progress_.best_score) {
      progress_.best_score = report.score;
      progress_.best_epoch = report.epoch;
      progress_.best = network_.belief;
      progress_.best_noise = progress_.noise;
    }
    // Before the training score, which puts its own predictions in place of the held-out ones.
    const std::vector<double> noise =
        options.learn_noise
            ? targets_->learned_noise(progress_.noise, report.epoch == 1, /*rows_known=*/0)
            : progress_.noise;
    report.typical_noise_variance = targets_->typical_noise({mean_, variance_}, noise);
    if (options.stopping == Stopping::paper) report.training_score = score_training();
    progress_.training_score_before = progress_.training_score;
    progress_.training_score = report.training_score;
    progress_.noise = noise;
    report.best_epoch = progress_.best_epoch;
    report.noise_variance = progress_.noise;
    report.seconds = seconds_since(start);
    return true;
  }

  // With one group at a time the network's own belief is swept; several each sweep a copy, and what
  // changed is added in the order of the groups.
  void refresh(std::span<const std::uint32_t> groups) {
    if (groups.size() == 1) {
      refresh_one(groups.front(), network_.belief, slots_.front());
    } else {
      workers_.run(groups.size(), [&](std::size_t i) {
        slots_[i].belief = network_.belief;
        refresh_one(groups[i], slots_[i].belief, slots_[i]);
      });
      add_changes(groups.size());
    }
    for (const std::uint32_t group : groups) seen_ += groups_->rows(group).size();
  }

  void refresh_one(std::size_t group, WeightMessages<T>& belief, Slot& slot) {
    const std::span<T> tau = store_->tau(group), rho = store_->rho(group);
    if (options.renewal < 1) keep_back(tau, rho, slot.kept);
    slot.bounded += network_.engine.take_out(belief, network_.prior, tau, rho, slot.cavity);
    learn(belief, groups_->rows(group), options.power * options.renewal, slot, slot.record);
    network_.engine.difference(belief, slot.cavity, tau, rho);
    if (options.renewal < 1) give_back(slot.kept, tau, rho);
  }

  // Leaves the share that is renewed.
  void keep_back(std::span<T> tau, std::span<T> rho, std::vector<T>& kept) const {
    const T share = static_cast<T>(options.renewal);
    kept.resize(tau.size() + rho.size());
    for (std::size_t i = 0; i < tau.size(); ++i) {
      const T renewed_tau = share * tau[i], renewed_rho = share * rho[i];
      kept[i] = tau[i] - renewed_tau;
      kept[tau.size() + i] = rho[i] - renewed_rho;
      tau[i] = renewed_tau;
      rho[i] = renewed_rho;
    }
  }

  static void give_back(std::span<const T> kept, std::span<T> tau, std::span<T> rho) {
    for (std::size_t i = 0; i < tau.size(); ++i) {
      tau[i] += kept[i];
      rho[i] += kept[tau.size() + i];
    }
  }

  void add_changes(std::size_t count) {
    WeightMessages<T>& belief = network_.belief;
    const auto add = [&](AlignedVector<T> WeightMessages<T>::*part) {
      for (std::size_t i = 0; i < belief.size(); ++i) {
        const T before = (belief.*part)[i];
        T change = 0;
        for (std::size_t s = 0; s < count; ++s) change += (slots_[s].belief.*part)[i] - before;
        (belief.*part)[i] = before + change;
      }
    };
    add(&WeightMessages<T>::tau);
    add(&WeightMessages<T>::rho);
  }

  // Rows of one weight after another are swept together.
  void learn(WeightMessages<T>& belief, std::span<const std::uint32_t> rows, double power,
             Slot& slot, SweepRecord& record) {
    while (!rows.empty()) {
      const double weight = targets_->weight(rows.front());
      std::size_t count = 1;
      if (!targets_->is_weighted()) count = rows.size();
      while (count < rows.size() && targets_->weight(rows[count]) == weight) ++count;
      network_.engine.learn(
          belief, examples_, rows.first(count),
          {noise_, block(), static_cast<T>(weight * power), slot.observation.get()},
          {mean_, variance_, observed_}, slot.workspace, record);
      rows = rows.subspan(count);
    }
  }

  // In the sweeps' type, once for all groups of an epoch.
  void set_sweep_noise() { noise_.assign(progress_.noise.begin(), progress_.noise.end()); }

  std::size_t block() const {
    if (network_.engine.rule() == Rule::direct) return 1;
    const std::size_t bytes = 2 * network_.belief.size() * sizeof(T);
    const std::size_t wanted =
        options.block > 0 ? options.block : (bytes > kCacheBytes ? kLargestBlock : 1);
    std::size_t out = 1;
    while (out < wanted && 2 * out * kSeenPerBlock <= seen_) out *= 2;
    return out;
  }

  // The beliefs anew from the prior and the stored messages, summed in double.
  double rebuild() {
    const std::size_t weights = network_.belief.size();
    const std::size_t tasks = (weights + kRebuildChunk - 1) / kRebuildChunk;
    std::vector<double> drift(tasks);
    workers_.run(tasks, [&](std::size_t task) {
      const std::size_t first = task * kRebuildChunk;
      drift[task] = rebuild_chunk(first, std::min(kRebuildChunk, weights - first));
    });
    return *std::ranges::max_element(drift);
  }

  double rebuild_chunk(std::size_t first, std::size_t count) {
    std::vector<double> tau(count), rho(count);
    for (std::size_t i = 0; i < count; ++i) {
      tau[i] = static_cast<double>(network_.prior.tau[first + i]);
      rho[i] = static_cast<double>(network_.prior.rho[first + i]);
    }
    for (std::size_t g = 0; g < groups_->size(); ++g) {
      const T* const group_tau = store_->tau(g).data() + first;
      const T* const group_rho = store_->rho(g).data() + first;
      for (std::size_t i = 0; i < count; ++i) tau[i] += static_cast<double>(group_tau[i]);
      for (std::size_t i = 0; i < count; ++i) rho[i] += static_cast<double>(group_rho[i]);
    }
    double drift = 0;
    for (std::size_t i = 0; i < count; ++i) {
      T& running_tau = network_.belief.tau[first + i];
      T& running_rho = network_.belief.rho[first + i];
      // tau in units of its own size or of the belief's deviation, whichever is larger.
      const double scale = std::max(std::abs(tau[i]), std::sqrt(rho[i]));
      drift = std::max({drift, std::abs(static_cast<double>(running_rho) - rho[i]) / rho[i],
                        std::abs(static_cast<double>(running_tau) - tau[i]) / scale});
      running_tau = static_cast<T>(tau[i]);
      running_rho = static_cast<T>(rho[i]);
      if (!(running_rho > 0 && std::isfinite(running_rho) && std::isfinite(running_tau)))
        drift = std::numeric_limits<double>::infinity();
    }
    return drift;
  }

  double score_training() {
    const std::vector<std::uint32_t> rows = counted(examples_.size());
    network_.engine.predict(network_.belief, examples_, rows, {mean_, variance_},
                            slots_.front().workspace);
    return targets_->score({mean_, variance_}, progress_.noise);
  }

  static bool is_sound(const EpochReport& report) {
    return std::isfinite(report.score) && std::isfinite(report.drift);
  }

  // Whether the beliefs are numbers, after an epoch that did not come to its end.
  bool rebuild_is_sound() { return std::isfinite(rebuild()); }

  void finish(FitReport& report) {
    report.best_epoch = progress_.epochs.empty() ? 0 : progress_.epochs.back().epoch;
    if (report.epochs.empty() && report.reason == StopReason::cancelled && rebuild_is_sound()) {
      noise_variance = progress_.noise;
      return;
    }
    if (options.stopping == Stopping::score || report.reason == StopReason::diverged) {
      report.best_epoch = progress_.best_epoch;
      network_.belief = progress_.best;
      progress_.noise = progress_.best_noise;
    }
    noise_variance = progress_.noise;
  }

  NetworkArrays<T>& network_;
  Workers workers_;
  std::unique_ptr<Targets<T>> targets_;
  std::vector<Slot> slots_;
  std::unique_ptr<PreparedRows<T>> rows_;
  std::vector<T> mean_, variance_, noise_;
  std::vector<Observed> observed_;
  Examples<T> examples_{};
  std::unique_ptr<Groups> groups_;
  std::unique_ptr<MessageStore<T>> store_;
  Progress<T> progress_;
  std::uint64_t identity_ = 0;
  std::size_t seen_ = 0;  // examples learned so far
};

}  // namespace

Trainer::Trainer(Network& network, const TrainerOptions& options) {
  options.validate();
  state_ = std::visit(
      [&]<class T>(NetworkArrays<T>& arrays) -> std::unique_ptr<TrainerState> {
        return std::make_unique<TypedTrainer<T>>(arrays, options);
      },
      network.state().arrays);
}
Trainer::~Trainer() = default;
Trainer::Trainer(Trainer&&) noexcept = default;
Trainer& Trainer::operator=(Trainer&&) noexcept = default;

FitReport Trainer::fit(const InputRows& inputs, std::span<const double> targets,
                       std::span<const double> weights) {
  return state_->fit(inputs, targets, weights);
}

double Trainer::partial_fit(const InputRows& inputs, std::span<const double> targets,
                            std::span<const double> weights) {
  return state_->partial_fit(inputs, targets, weights);
}

void Trainer::resume(const std::string& checkpoint) { state_->resume_from = checkpoint; }

const std::vector<double>& Trainer::noise_variance() const { return state_->noise_variance; }

std::size_t Trainer::store_bytes() const { return state_->store_bytes; }

}  // namespace postrider
