#include "estimator/ensemble.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "postrider/error.h"
#include "sweep/observation.h"
#include "train/state.h"

namespace postrider {
namespace {

// All members together learn from no more than so many rows per epoch, if they are chosen here.
constexpr std::size_t kRowsOfAll = 4000;
constexpr std::size_t kMostMembers = 8;
constexpr double kMostPower = 2;
// Of beliefs, two floats for each weight: less than the second-level cache of common machines.
constexpr std::size_t kCacheBytes = std::size_t{1} << 20;

std::uint64_t seed_of(std::uint64_t seed, std::size_t member) {
  return member == 0 ? seed : RandomStream(seed, member).next_bits();
}

// Its beliefs are the priors: it has learned nothing.
bool has_diverged(const FitReport& report) {
  return report.reason == StopReason::diverged && report.best_epoch == 0;
}

// Those that finished no epoch, unless none did: then those that never began, which have no noise.
void drop_unfinished(std::vector<Member>& members, TakenOutcomes& taken) {
  const std::vector<FitReport>& reports = taken.reports;
  const auto is_finished = [](const FitReport& report) {
    return !report.epochs.empty() && !has_diverged(report);
  };
  if (std::ranges::all_of(reports, has_diverged))
    throw Error(
        "training diverged in its first epoch, and nothing was learned: are sample weights or the "
        "power "
        "too large, or values far from all others?");
  const bool some_finished = std::ranges::any_of(reports, is_finished);
  std::vector<Member> kept;
  TakenOutcomes of_kept;
  for (std::size_t m = 0; m < members.size(); ++m) {
    if (some_finished ? !is_finished(reports[m]) : members[m].noise_variance.empty()) continue;
    kept.push_back(std::move(members[m]));
    of_kept.reports.push_back(std::move(taken.reports[m]));
    of_kept.left_out.push_back(std::move(taken.left_out[m]));
  }
  members = std::move(kept);
  taken = std::move(of_kept);
}

}  // namespace

std::size_t effective_rows(std::size_t rows, std::span<const double> weights) {
  if (weights.empty()) return rows;
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  return static_cast<std::size_t>(std::max(1.0, std::round(sum)));
}

bool fit_the_cache(std::size_t weights) {
  return kPack * weights * 2 * sizeof(float) <= kCacheBytes;
}

std::size_t members_for(std::size_t asked, std::size_t rows, std::size_t weights,
                        std::size_t ways) {
  if (asked > 0) return asked;
  if (fit_the_cache(weights)) return kPack / ways;
  const std::size_t several = (kRowsOfAll + rows / 2) / std::max<std::size_t>(1, rows);
  return std::clamp<std::size_t>(several, 1, kMostMembers);
}

double power_for(double asked, std::size_t weights, std::size_t rows) {
  if (asked > 0) return asked;
  return std::min(kMostPower, 1 + static_cast<double>(weights) / static_cast<double>(rows));
}

std::vector<Member> untrained_members(std::size_t count, const DenseShape& shape,
                                      std::size_t inputs, std::size_t outputs) {
  std::vector<Member> out;
  for (std::size_t m = 0; m < count; ++m) {
    DenseShape own = shape;
    own.seed = seed_of(shape.seed, m);
    out.push_back({Network(dense_network(own, inputs, outputs)), {}, 0});
  }
  return out;
}

TakenOutcomes take_outcomes(std::vector<Member>& members, std::span<TrainingOutcome> outcomes) {
  TakenOutcomes out;
  for (std::size_t m = 0; m < members.size(); ++m) {
    members[m].noise_variance = std::move(outcomes[m].noise_variance);
    members[m].seen = outcomes[m].seen;
    out.reports.push_back(std::move(outcomes[m].report));
    out.left_out.push_back(std::move(outcomes[m].left_out));
    for (EpochReport& epoch : out.reports.back().epochs) epoch.member = m;
  }
  drop_unfinished(members, out);
  return out;
}

double stream_power(double asked) { return asked > 0 ? asked : 1; }

MemberStreams::MemberStreams(std::vector<Member>& members, const TrainerOptions& options,
                             const TrainingTask& task, std::span<const DriftRate> rates) {
  std::vector<StreamMember> all;
  for (std::size_t m = 0; m < members.size(); ++m) {
    TrainingTask own = task;
    own.drift = rates[m % rates.size()];
    all.push_back(
        {members[m].network, own,
         members[m].noise_variance.empty() ? options.noise_variance : members[m].noise_variance,
         members[m].seen});
  }
  if (can_stream_together(all, options)) {
    together_ = make_pack_stream(std::move(all), options);
    return;
  }
  for (const StreamMember& member : all) {
    TrainerOptions own = options;
    own.noise_variance = member.noise_variance;
    apart_.emplace_back(member.network, own, member.task);
    apart_.back().set_seen(member.seen);
  }
}

std::vector<StreamOutcome> MemberStreams::learn(std::vector<Member>& members,
                                                const RowsToLearn& rows) {
  std::vector<StreamOutcome> out;
  if (together_) {
    out = together_->learn(rows);
  } else {
    bool sound = true;
    for (Trainer& stream : apart_) {
      out.push_back({stream.state().partial_fit(rows), std::move(stream.state().scores), 0});
      sound = sound && out.back().report.sound;
    }
    for (std::size_t m = 0; m < apart_.size(); ++m) {
      if (!sound) apart_[m].state().undo_partial_fit();
      out[m].report.sound = sound;
      out[m].report.noise_variance = apart_[m].noise_variance();
      out[m].seen = apart_[m].seen();
    }
  }
  for (std::size_t m = 0; m < members.size(); ++m) {
    members[m].noise_variance = out[m].report.noise_variance;
    members[m].seen = out[m].seen;
  }
  return out;
}

StreamReport report_of(std::span<const StreamOutcome> outcomes) {
  StreamReport out = outcomes.front().report;
  out.score = 0;
  out.linearised = out.silent = out.guarded = 0;
  for (const StreamOutcome& outcome : outcomes) {
    out.score += outcome.report.score / static_cast<double>(outcomes.size());
    out.linearised += outcome.report.linearised;
    out.silent += outcome.report.silent;
    out.guarded += outcome.report.guarded;
  }
  return out;
}

}  // namespace postrider
