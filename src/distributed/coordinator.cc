#include "distributed/coordinator.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "distributed/distributed_training.h"
#include "postrider/error.h"

namespace postrider::internal {
namespace {

const std::string kOtherSum = "the sum that was saved is not that of the shards' messages";

RoundStatistics statistics_of(const Bytes& result) {
  Unpacker from(result, "a round's result");
  const auto out = from.read<RoundStatistics>();
  from.expect_end();
  return out;
}

// The median over shards; the upper one of two.
double middle_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

template <class T>
class TypedCoordinator : public Coordinator {
 public:
  TypedCoordinator(const EstimatorState& state, const TrainingPlan& plan,
                   const distributed::DistributedOptions& options)
      : options_(state.options.training),
        plan_(plan),
        groups_(plan.all_groups()),
        flight_(options.rows_in_flight, groups_, plan.group_size) {
    const FittedModel model = untrained(state, plan.summary, false);
    targets_ = make_targets<T>(task_of(model.kind, 1).likelihood, plan.summary.outputs);
    known_noise_ = known_noise(state.options, model.targets);
    const std::vector<double> noise = targets_->first_noise(options_.noise_variance);
    for (const Member& member : model.members)
      members_.emplace_back(std::get<NetworkArrays<T>>(inside_of(member.network).arrays).prior,
                            noise);
  }

  std::optional<Step> next() const override {
    if (std::ranges::none_of(members_, &MemberSum<T>::is_running)) return std::nullopt;
    Step out;
    out.requests.resize(members_.size());
    if (is_closing()) {
      out.kind = Step::Kind::close;
      for (std::size_t s = 0; s < plan_.shards(); ++s)
        for (std::size_t m = 0; plan_.shard_rows[s] > 0 && m < members_.size(); ++m)
          if (members_[m].is_running) out.tasks.push_back({s, m});
      for (const MemberSum<T>& member : members_) out.noise.push_back(member.progress.noise);
      return out;
    }
    out.tasks = travels() ? visits() : members_in_flight();
    for (const ShardTask& task : out.tasks)
      if (out.requests[task.member].empty())
        out.requests[task.member] = request(task.member).packed(members_[task.member].belief);
    return out;
  }

  void accept(const Step& step, std::vector<UnitSums> changes,
              std::span<const Bytes> results) override {
    is_between_epochs_ = false;
    if (step.kind == Step::Kind::close)
      close(step, results);
    else if (travels())
      accept_visits(step, changes, results);
    else
      accept_flight(step, std::move(changes.front()), results);
  }

  std::vector<EpochReport> take_reports() override { return std::exchange(reports_, {}); }
  bool is_between_epochs() const override { return is_between_epochs_; }

  void cancel() override {
    for (MemberSum<T>& member : members_)
      if (std::exchange(member.is_running, false)) member.reason = FitReport::StopReason::cancelled;
  }

  Bytes saved() const override {
    Packer out;
    for (const MemberSum<T>& member : members_) member.pack(out);
    out.add(flight_);
    out.add(rounds_);
    out.add(taken_back_);
    out.add(static_cast<std::uint8_t>(was_merged_));
    return out.take();
  }

  void load(std::span<const std::byte> bytes, const std::string& source,
            const std::vector<UnitSums>& sums) override {
    Unpacker from(bytes, source);
    for (std::size_t m = 0; m < members_.size(); ++m) {
      members_[m].load(from);
      if (members_[m].sums != sums[m]) from.fail(kOtherSum);
    }
    flight_ = from.read<Flight>();
    rounds_ = from.read<std::uint64_t>();
    taken_back_ = from.read<std::uint64_t>();
    was_merged_ = from.read<std::uint8_t>() != 0;
    from.expect_end();
    // The run before may have been allowed fewer epochs.
    for (MemberSum<T>& member : members_)
      member.is_running = member.reason != FitReport::StopReason::diverged &&
                          !should_stop(options_, plan_.rows(), member.progress, member.reason);
    done_ = 0;
    takes_back_ = 0;
    last_ = {};
    reports_.clear();
  }

  void merge(std::span<const SavedRun> runs, const std::vector<UnitSums>& sums) override {
    const auto add_rows = [](double rows, const SavedRun& run) { return rows + run.rows; };
    const double rows = std::accumulate(runs.begin(), runs.end(), 0.0, add_rows);
    std::vector<Learned> learned(members_.size());
    for (const SavedRun& run : runs) {
      Unpacker from(run.bytes, run.source);
      for (std::size_t m = 0; m < members_.size(); ++m) {
        MemberSum<T> theirs = members_[m];
        theirs.load(from);
        learned[m].add(theirs, run.rows / rows);
      }
    }
    for (std::size_t m = 0; m < members_.size(); ++m) {
      if (learned[m].sums != sums[m]) throw CorruptFile("cannot merge checkpoints: " + kOtherSum);
      if (!members_[m].begin_with(sums[m], learned[m].noise, learned[m].seen))
        throw Error("what these runs have learned does not make proper beliefs together");
    }
    was_merged_ = true;
  }

  void forget(std::span<const std::size_t> shards, const std::vector<UnitSums>& sums) override {
    for (const std::size_t shard : shards) plan_.shard_rows[shard] = 0;
    groups_ = plan_.all_groups();
    if (groups_ == 0) reject("forget", shards.size(), "must leave at least one shard");
    flight_ = Flight(flight_.share(), groups_, plan_.group_size);
    for (std::size_t m = 0; m < members_.size(); ++m) {
      MemberSum<T>& member = members_[m];
      if (!member.take_out(sums[m]))
        throw Error("without these shards a belief would not be proper");
      // Whoever is best is decided anew, beginning with these beliefs.
      member.progress.best = member.belief;
      member.progress.best_noise = member.progress.noise;
      member.progress.best_score = -std::numeric_limits<double>::infinity();
      member.progress.best_epoch = member.progress.epoch;
      member.is_running = !should_stop(options_, plan_.rows(), member.progress, member.reason);
    }
  }

  void conclude(FittedModel& model, distributed::DistributedReport& report) const override {
    for (std::size_t m = 0; m < members_.size(); ++m) {
      const MemberSum<T>& member = members_[m];
      const bool keeps_best =
          !keeps_last(options_) || member.reason == FitReport::StopReason::diverged;
      std::get<NetworkArrays<T>>(inside_of(model.members[m].network).arrays).belief =
          keeps_best ? member.progress.best : member.belief;
      model.members[m].noise_variance =
          keeps_best ? member.progress.best_noise : member.progress.noise;
      if (!known_noise_.empty()) model.members[m].noise_variance = known_noise_;
      model.members[m].seen = static_cast<std::size_t>(member.seen);
      FitReport fit;
      fit.epochs = member.progress.epochs;
      fit.best_epoch = keeps_best ? member.progress.best_epoch : fit.epochs.size();
      fit.reason = member.reason;
      fit.damping = options_.damping;
      report.fits.push_back(std::move(fit));
    }
    report.rounds = rounds_;
    report.taken_back = taken_back_;
    report.halved = flight_.halved();
    report.rows_in_flight = flight_.share();
  }

 private:
  // What a member of several runs has learned in all of them.
  struct Learned {
    UnitSums sums;
    std::vector<double> noise;  // on average over rows
    std::uint64_t seen = 0;

    void add(const MemberSum<T>& member, double share) {
      sums.resize(member.sums.size());
      noise.resize(member.progress.noise.size());
      for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += member.sums[k];
      for (std::size_t o = 0; o < noise.size(); ++o) noise[o] += share * member.progress.noise[o];
      seen += member.seen;
    }
  };

  // Several members visit the shards in turn: each sees all rows one after another, and nothing is in flight.
  bool travels() const { return members_.size() > 1; }
  std::size_t steps_of_visits() const { return std::max(members_.size(), plan_.shards()); }
  bool is_closing() const { return done_ == (travels() ? steps_of_visits() : groups_); }

  // --- what comes next ---------------------------------------------------------------------------------

  std::vector<ShardTask> visits() const {
    std::vector<ShardTask> out;
    for (std::size_t s = 0; s < plan_.shards(); ++s) {
      const std::size_t m = (s + done_) % steps_of_visits();
      if (plan_.shard_rows[s] > 0 && m < members_.size() && members_[m].is_running)
        out.push_back({s, m});
    }
    return out;
  }

  std::vector<ShardTask> members_in_flight() const {
    std::vector<ShardTask> out;
    for (std::size_t s = 0; s < plan_.shards(); ++s) {
      const auto [begin, end] = stretch().of_shard(s, plan_.shards(), plan_.groups(s));
      if (plan_.shard_rows[s] > 0 && (begin < end || takes_back_ > 0)) out.push_back({s, 0});
    }
    return out;
  }

  Stretch stretch() const {
    if (travels()) return {0, groups_, groups_};
    return {done_, std::min<std::uint64_t>(groups_, done_ + flight_.size(members_.front().seen)),
            groups_};
  }

  RoundRequest request(std::size_t m) const {
    const MemberSum<T>& member = members_[m];
    RoundRequest out;
    out.epoch = member.progress.epoch + 1;
    out.stretch = stretch();
    out.seen = member.seen;
    out.noise_may_vary = was_merged_ || out.epoch > options_.constant_noise_epochs ? 1 : 0;
    out.round = rounds_ + 1;
    out.takes_back = takes_back_;
    out.may_be_taken_back = travels() ? 0 : 1;
    out.noise = member.progress.noise;
    return out;
  }

  // --- what came back ----------------------------------------------------------------------------------

  void accept_flight(const Step& step, UnitSums change, std::span<const Bytes> results) {
    MemberSum<T>& member = members_.front();
    RoundStatistics found;
    for (std::size_t i = 0; i < step.tasks.size(); ++i) found.add(statistics_of(results[i]));
    ++rounds_;
    const bool is_wrong = found.off_grid != 0 || !std::isfinite(found.log_likelihood);
    // With a single group in flight there is nothing that it could have missed.
    const bool is_single = flight_.size(member.seen) == 1;
    if (is_wrong || (flight_.is_collapse(found) && !is_single) || !member.add(change)) {
      if (is_single) return give_up(member, found);
      take_back(member);
      return;
    }
    takes_back_ = 0;
    last_ = {rounds_, done_, std::move(change), found.rows, member.of_epoch};
    done_ = stretch().end;
    member.seen += found.rows;
    member.of_epoch.add(found);
    flight_.watch(found, member.seen);
  }

  // This round was not added. The one before it was, and may be why: its rows were predicted well, but not
  // together. Rounds are smaller from now on, so that this ends.
  void take_back(MemberSum<T>& member) {
    ++taken_back_;
    flight_.halve(member.seen);
    takes_back_ = rounds_;
    if (last_.round == 0) return;
    if (!member.take_out(last_.change)) return;
    done_ = last_.begin;
    member.seen -= last_.rows;
    member.of_epoch = last_.of_epoch;
    takes_back_ = last_.round;
    last_ = {};
  }

  void accept_visits(const Step& step, std::span<const UnitSums> changes,
                     std::span<const Bytes> results) {
    ++rounds_;
    for (std::size_t i = 0; i < step.tasks.size(); ++i) {
      MemberSum<T>& member = members_[step.tasks[i].member];
      const RoundStatistics found = statistics_of(results[i]);
      if (found.off_grid != 0 || !std::isfinite(found.log_likelihood) ||
          !member.add(changes[step.tasks[i].member])) {
        give_up(member, found);
        continue;
      }
      member.seen += found.rows;
      member.of_epoch.add(found);
    }
    ++done_;
  }

  void give_up(MemberSum<T>& member, const RoundStatistics& found) {
    if (found.off_grid != 0 && member.progress.epochs.empty())
      throw Error(
          "the message to weight " + std::to_string(found.off_grid - 1) +
          " left the grid on which messages are summed: are sample weights or the power too "
          "large, or values far from all others?");
    member.is_running = false;
    member.reason = FitReport::StopReason::diverged;
  }

  // All members are judged together, by all rows that any of them leaves out.
  void close(const Step& step, std::span<const Bytes> results) {
    std::vector<EpochPart> parts;
    std::vector<std::vector<double>> typical(members_.size());
    for (std::size_t i = 0; i < step.tasks.size(); ++i) {
      const std::size_t m = step.tasks[i].member;
      Unpacker from(results[i], "the end of an epoch");
      EpochPart part = EpochPart::unpacked(from);
      if (!members_[m].is_running) continue;
      typical[m].push_back(part.typical_noise);
      parts.push_back(std::move(part));
    }
    const Assessment found = joined(parts);
    for (std::size_t m = 0; m < members_.size(); ++m)
      if (members_[m].is_running) close(m, found, middle_of(std::move(typical[m])));
    done_ = 0;
    last_ = {};
    flight_.end_epoch();
    is_between_epochs_ = true;
  }

  void close(std::size_t m, const Assessment& found, double typical_noise) {
    MemberSum<T>& member = members_[m];
    EpochReport report;
    report.epoch = ++member.progress.epoch;
    report.member = m;
    report.members = members_.size();
    report.max_epochs = most_epochs(options_, plan_.rows());
    report.linearised = member.of_epoch.linearised;
    report.silent = member.of_epoch.silent;
    report.bounded = member.of_epoch.bounded;
    report.guarded = member.of_epoch.guarded;
    report.typical_noise_variance = typical_noise;
    member.of_epoch = {};
    close_epoch<T>(member.progress, options_, known_noise_, *targets_, found, report,
                   [&](WeightMessages<T>& best) { best = member.belief; });
    member.progress.epochs.push_back(report);
    reports_.push_back(report);
    if (!is_sound(report)) {
      member.is_running = false;
      member.reason = FitReport::StopReason::diverged;
    } else if (should_stop(options_, plan_.rows(), member.progress, member.reason)) {
      member.is_running = false;
    }
  }

  TrainerOptions options_;
  std::vector<double> known_noise_;
  TrainingPlan plan_;
  std::size_t groups_;
  Flight flight_;
  std::unique_ptr<Targets<T>> targets_;
  std::vector<MemberSum<T>> members_;
  std::vector<EpochReport> reports_;
  std::uint64_t done_ = 0;  // groups of the epoch, or visits
  std::uint64_t rounds_ = 0, taken_back_ = 0;
  std::uint64_t takes_back_ = 0;  // the first round that is put back with the next; 0: none
  // The last round that was added, while it can be taken back.
  struct Added {
    std::uint64_t round = 0, begin = 0;
    UnitSums change;
    std::uint64_t rows = 0;
    RoundStatistics of_epoch;  // before it
  } last_;
  bool is_between_epochs_ = false;
  bool was_merged_ = false;  // began with what other runs have learned
};

}  // namespace

Bytes run_task(Shard& shard, const StepView& step, const ShardTask& task,
               std::span<std::int64_t> change) {
  Packer out;
  ShardMember& member = shard.member(task.member);
  if (step.kind == Step::Kind::round)
    out.add(member.round(step.requests[task.member], change));
  else
    member.close(step.noise[task.member]).pack(out);
  return out.take();
}

std::unique_ptr<Coordinator> make_coordinator(const EstimatorState& state, const TrainingPlan& plan,
                                              const distributed::DistributedOptions& options) {
  if (state.options.precision == network::Precision::float32)
    return std::make_unique<TypedCoordinator<float>>(state, plan, options);
  return std::make_unique<TypedCoordinator<double>>(state, plan, options);
}

}  // namespace postrider::internal
