// The networks of one estimator: the same in all but their prior means, trained apart, averaged.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "estimator/dense.h"
#include "postrider/network/network.h"
#include "postrider/network/trainer.h"
#include "train/job.h"
#include "train/pack_stream.h"
#include "train/training_rows.h"

namespace postrider::internal {

struct Member {
  network::Network network;
  std::vector<double> noise_variance;  // standardised
  std::size_t seen = 0;                // examples learned, each epoch anew
  double share = 1;  // in predictions; of all together they need not add up to one
};

// How many rows of weight 1 these weights are worth, at least 1; none: as many as there are rows.
std::size_t effective_rows(std::size_t rows, std::span<const double> weights);

// As many as asked for; if 0, as many as are trained side by side in one vector where their beliefs fit the second-level cache; of larger networks the fewer, the more rows
// there are, but four of those whose size was chosen for many rows. What differs between them is chance: the prior means. To average over it is better on all sets
// tried, most where rows are few.
std::size_t members_for(std::size_t asked, std::size_t rows, std::size_t weights,
                        bool are_for_many_rows = false);

// The power asked for; if 0, min(2, 1 + weights / rows).
//
// Why: a sum of P factorised weights that N examples tell of, with noise b and messages of power T,
// keeps the variance v = (v + b) P/(T N), so v = b P/(T N - P). An exact belief would keep b P/N. The
// two are the same for T = 1 + P/N. One example then moves the sum by the share T v/(v + b) = P/N of its
// residual, so beyond P/N = 1 sums would overshoot.
double power_for(double asked, std::size_t weights, std::size_t rows);

// With other prior means each; the first has the shape's own seed.
std::vector<Member> untrained_members(std::size_t count, const DenseShape& shape,
                                      std::size_t inputs, std::size_t outputs);

struct TakenOutcomes {
  std::vector<FitReport> reports;
  std::vector<network::Network::OutputMoments> left_out;  // as in TrainingOutcome
  std::vector<std::size_t> numbers;                       // of the members before some were dropped
};

// What was found of each of them. If training was cancelled, members that had not finished an epoch are
// dropped, if others had, and those that had not begun in any case: there may be none left. One of all for
// each that is kept. Throws Error if all diverged at once.
TakenOutcomes take_outcomes(std::vector<Member>& members, std::span<TrainingOutcome> outcomes);

// Streams go on from what the members know. There is no telling how many rows will come, so that a
// power that is not asked for is 1.
double stream_power(double asked);

// How a member learns a stream.
struct StreamKind {
  StreamReport::DriftRate rate;
  bool has_window = false;  // of recent rows that are refreshed

  friend bool operator==(const StreamKind&, const StreamKind&) = default;
};

// How the members go on learning: those that are small and alike side by side, others one after another.
class MemberStreams {
 public:
  // Each of the kind of its place, which are repeated if they are fewer; those that have windows share the
  // memory. The members must outlive it.
  MemberStreams(std::vector<Member>& members, const TrainerOptions& options,
                const network::Trainer::Task& task, std::span<const StreamKind> kinds);

  // All of them have learned the rows, or, if one could not, none has.
  std::vector<StreamOutcome> learn(std::vector<Member>& members, const RowsToLearn& rows);

 private:
  void undo(std::vector<StreamOutcome>& outcomes);

  std::unique_ptr<PackStream> together_;
  std::vector<std::size_t> in_pack_;  // numbers of the members
  std::vector<network::Trainer> apart_;
  std::vector<std::size_t> by_themselves_;
};

// Reports on all members together: events are summed, the score is their mean, the noise is the first one's.
StreamReport report_of(std::span<const StreamOutcome> outcomes);

}  // namespace postrider::internal
