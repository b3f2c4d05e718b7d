#include "estimator/ensemble.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "postrider/error.h"
#include "sweep/layout.h"
#include "sweep/observation.h"
#include "train/training_lane.h"

namespace postrider::internal {
namespace {

// All members together learn from no more than so many rows per epoch, if they are chosen here.
constexpr std::size_t kRowsOfAll = 4000;
constexpr std::size_t kMostMembers = 8;
// Four predict better than one by far, and judge four eighths of the rows; with more of large networks the errors fall by little.
constexpr std::size_t kFewestMembers = 4;
constexpr double kMostPower = 2;

std::uint64_t seed_of(std::uint64_t seed, std::size_t member) {
  return member == 0 ? seed : RandomStream(seed, member).next_bits();
}

// Its beliefs are the priors: it has learned nothing.
bool has_diverged(const FitReport& report) {
  return report.reason == FitReport::StopReason::diverged && report.best_epoch == 0;
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
    of_kept.numbers.push_back(m);
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

std::size_t members_for(std::size_t asked, std::size_t rows, std::size_t weights,
                        bool are_for_many_rows) {
  if (asked > 0) return asked;
  if (fits_the_cache_in_packs(weights)) return kPack;
  if (are_for_many_rows) return kFewestMembers;
  const std::size_t several = (kRowsOfAll + rows / 2) / std::max<std::size_t>(1, rows);
  return std::clamp(several, kFewestMembers, kMostMembers);
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
    out.push_back({network::Network(dense_network(own, inputs, outputs)), {}, 0});
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
    out.numbers.push_back(m);
    for (EpochReport& epoch : out.reports.back().epochs) epoch.member = m;
  }
  drop_unfinished(members, out);
  return out;
}

double stream_power(double asked) { return asked > 0 ? asked : 1; }

MemberStreams::MemberStreams(std::vector<Member>& members, const TrainerOptions& options,
                             const network::Trainer::Task& task,
                             std::span<const StreamKind> kinds) {
  std::vector<StreamMember> together, apart;
  for (std::size_t m = 0; m < members.size(); ++m) {
    const StreamKind& kind = kinds[m % kinds.size()];
    network::Trainer::Task own = task;
    own.drift = kind.rate;
    (kind.has_window ? apart : together)
        .push_back(
            {members[m].network, own,
             members[m].noise_variance.empty() ? options.noise_variance : members[m].noise_variance,
             members[m].seen});
    (kind.has_window ? by_themselves_ : in_pack_).push_back(m);
  }
  TrainerOptions without = options;
  without.stream_memory = 0;
  const auto add = [&](const StreamMember& member, std::size_t memory) {
    TrainerOptions own = options;
    own.stream_memory = memory;
    own.noise_variance = member.noise_variance;
    apart_.emplace_back(member.network, own, member.task);
    apart_.back().set_seen(member.seen);
  };
  for (const StreamMember& member : apart) add(member, options.stream_memory / apart.size());
  if (can_stream_together(together, without)) {
    together_ = make_pack_stream(std::move(together), without);
    return;
  }
  for (const StreamMember& member : together) add(member, 0);
  by_themselves_.insert(by_themselves_.end(), in_pack_.begin(), in_pack_.end());
  in_pack_.clear();
}

std::vector<StreamOutcome> MemberStreams::learn(std::vector<Member>& members,
                                                const RowsToLearn& rows) {
  std::vector<StreamOutcome> out(members.size());
  bool sound = true;
  for (std::size_t k = 0; k < apart_.size(); ++k) {
    StreamOutcome& own = out[by_themselves_[k]];
    own = {inside_of(apart_[k]).partial_fit(rows), std::move(inside_of(apart_[k]).scores), 0};
    sound = sound && own.report.sound;
  }
  if (together_) {
    std::vector<StreamOutcome> of_pack = together_->learn(rows);
    sound = sound && of_pack.front().report.sound;
    for (std::size_t k = 0; k < in_pack_.size(); ++k) out[in_pack_[k]] = std::move(of_pack[k]);
  }
  if (!sound) undo(out);
  for (std::size_t k = 0; k < apart_.size(); ++k) {
    out[by_themselves_[k]].report.noise_variance = apart_[k].noise_variance();
    out[by_themselves_[k]].seen = apart_[k].seen();
  }
  for (std::size_t m = 0; m < members.size(); ++m) {
    out[m].report.sound = sound;
    members[m].noise_variance = out[m].report.noise_variance;
    members[m].seen = out[m].seen;
  }
  return out;
}

void MemberStreams::undo(std::vector<StreamOutcome>& outcomes) {
  for (network::Trainer& stream : apart_) inside_of(stream).undo_partial_fit();
  if (!together_) return;
  const std::vector<StreamOutcome> before = together_->undone();
  for (std::size_t k = 0; k < in_pack_.size(); ++k) {
    outcomes[in_pack_[k]].report.noise_variance = before[k].report.noise_variance;
    outcomes[in_pack_[k]].seen = before[k].seen;
  }
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

}  // namespace postrider::internal
