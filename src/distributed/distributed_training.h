// How many groups are refreshed between two sums, and when that was too many.
//
// Groups in flight do not see what the others say. Up to one row in a hundred that costs nothing; with more of
// them the beliefs overshoot. Early on every row moves the beliefs far: no more are in flight then than one for 64 seen.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "distributed/round_request.h"
#include "postrider/distributed/parts.h"

namespace postrider::internal {

// Mean and spread of the log-likelihoods of rows.
struct ScoreWindow {
  double sum = 0, squares = 0, rows = 0;

  void add(const RoundStatistics& more) {
    sum += more.log_likelihood;
    squares += more.squares;
    rows += static_cast<double>(more.rows);
  }
  // Rounds long ago count less.
  void fade() {
    constexpr double kKept = 0.9;
    sum *= kKept;
    squares *= kKept;
    rows *= kKept;
  }
  double mean() const { return sum / rows; }
  // The variance of the mean.
  double variance() const { return std::max(0.0, squares / rows - mean() * mean()) / rows; }
  // By more than chance would.
  bool is_below(const ScoreWindow& before) const {
    constexpr double kErrors = 3, kLeast = 0.02;
    return mean() <
           before.mean() - std::max(kLeast, kErrors * std::sqrt(variance() + before.variance()));
  }
};

class Flight {
 public:
  Flight() = default;
  Flight(double share, std::size_t groups, std::size_t group_size)
      : share_(share), groups_(groups), group_size_(group_size) {}

  // Groups of the next round.
  std::size_t size(std::uint64_t seen) const {
    constexpr std::uint64_t kSeenPerRow = 64;
    const auto wanted = static_cast<std::size_t>(share_ * static_cast<double>(groups_));
    const auto allowed = static_cast<std::size_t>(seen / kSeenPerRow / group_size_);
    return std::max<std::size_t>(1, std::min(wanted, allowed));
  }

  // A round whose results make no sense: smaller ones from now on. False if there are no smaller ones.
  bool halve(std::uint64_t seen) {
    if (size(seen) == 1) return false;
    share_ = static_cast<double>(size(seen)) / 2 / static_cast<double>(groups_);
    ++halved_;
    return true;
  }

  // Whether a round predicts its rows so much worse than those before it that what came before must have been wrong.
  bool is_collapse(const RoundStatistics& round) {
    constexpr double kLeast = 1, kErrors = 5;
    ScoreWindow own;
    own.add(round);
    if (recent_.rows > 0 && own.rows > 0 && share_ > kHarmless) {
      const double error = std::sqrt(recent_.variance() * recent_.rows / own.rows);
      if (!(own.mean() > recent_.mean() - std::max(kLeast, kErrors * error))) return true;
    }
    recent_.fade();
    recent_.add(round);
    return false;
  }

  // Looks at the scores of an eighth of an epoch at a time, beside those of the same rows in the epoch before: where
  // they fall, rounds are halved, but not below what is harmless.
  void watch(const RoundStatistics& round, std::uint64_t seen) {
    window_.add(round);
    rows_ += static_cast<double>(round.rows);
    const double part = rows_ * kWindows / static_cast<double>(groups_ * group_size_);
    if (part < static_cast<double>(number_ + 1)) return;
    ScoreWindow& before = before_[number_ % kWindows];
    if (before.rows > 0 && share_ > kHarmless && window_.is_below(before)) halve(seen);
    before = window_;
    window_ = {};
    ++number_;
  }
  void end_epoch() {
    window_ = {};
    number_ = 0;
    rows_ = 0;
  }

  double share() const { return share_; }
  std::uint64_t halved() const { return halved_; }

 private:
  static constexpr std::size_t kWindows = 8;
  // A share of the rows that has been harmless wherever it was tried.
  static constexpr double kHarmless = 0.005;

  double share_ = 0.01;
  std::size_t groups_ = 1, group_size_ = 1;
  std::uint64_t halved_ = 0;
  ScoreWindow window_, recent_;
  std::array<ScoreWindow, kWindows> before_;  // of the epoch before
  std::uint64_t number_ = 0;                  // of the window
  double rows_ = 0;                           // of the epoch
};

// --- Training by all processes of a communicator, each with a holder and a driver of its own: who holds which shards,
// sums, checkpoints, and going on after a loss.

class DistributedTraining {
 public:
  struct Parts {
    std::function<distributed::ShardHolder()> holder;
    std::function<distributed::DistributedDriver(
        std::span<const distributed::ByteString> summaries)>
        driver;
    std::function<void(distributed::ShardHolder&, std::size_t shard)> hold;  // lets it hold a shard
  };

  DistributedTraining(Parts parts, std::size_t shards,
                      const distributed::DistributedOptions& options, unsigned threads,
                      distributed::Communicator& processes);

  distributed::DistributedReport fit(const TrainingCallbacks& callbacks);

 private:
  class Lost {};  // a process

  void expect(distributed::Communicator::Outcome outcome);
  std::vector<distributed::ByteString> gathered(std::span<const std::byte> own);
  std::vector<bool> wishes(bool own);  // of all processes
  void note_loss();
  void begin();
  bool go_on_from_checkpoint();  // whether there was one
  void merge();
  void forget(std::size_t sum_size);
  void train(const TrainingCallbacks& callbacks);
  bool saves_by_time() const;
  bool tell(const TrainingCallbacks& callbacks);
  void save(const TrainingCallbacks& callbacks);

  Parts parts_;
  std::size_t shards_;
  distributed::DistributedOptions options_;
  unsigned threads_;
  distributed::Communicator& processes_;
  distributed::ShardHolder holder_;
  std::optional<distributed::DistributedDriver> driver_;
  std::map<std::size_t, std::size_t> told_;  // epochs, of each member
  bool has_checkpoint_;                      // that this run may go on from
  std::uint64_t furthest_ = 0;               // epoch
  std::uint64_t losses_ = 0;                 // since then
  std::uint64_t recoveries_ = 0;
};

}  // namespace postrider::internal
