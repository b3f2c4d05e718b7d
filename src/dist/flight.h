// How many groups are refreshed between two sums, and when that was too many.
//
// Groups in flight do not see what the others say. Up to one row in a hundred that costs nothing; with more of
// them the beliefs overshoot. Early on every row moves the beliefs far: no more are in flight then than a sixteenth
// of those seen.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "dist/round_request.h"

namespace postrider {

// Mean and spread of the log-likelihoods of rows.
struct ScoreWindow {
  double sum = 0, squares = 0, rows = 0;

  void add(const RoundStatistics& more) {
    sum += more.log_likelihood;
    squares += more.squares;
    rows += static_cast<double>(more.rows);
  }
  double mean() const { return sum / rows; }
  // Of the mean.
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
    constexpr std::uint64_t kSeenPerRow = 16;
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

  // Looks at the scores of an eighth of an epoch at a time: where they fall, rounds are halved.
  void watch(const RoundStatistics& round, std::uint64_t seen) {
    constexpr double kWindows = 8;
    window_.add(round);
    if (window_.rows * kWindows < static_cast<double>(groups_ * group_size_)) return;
    if (before_.rows > 0 && window_.is_below(before_)) halve(seen);
    before_ = window_;
    window_ = {};
  }

  double share() const { return share_; }
  std::uint64_t halved() const { return halved_; }

 private:
  double share_ = 0.01;
  std::size_t groups_ = 1, group_size_ = 1;
  std::uint64_t halved_ = 0;
  ScoreWindow window_, before_;
};

}  // namespace postrider
