// What the rounds of one case say.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "bench/common/stopwatch.h"
#include "bench/common/table.h"
#include "bench/epoch/rounds.h"

namespace postrider::bench {

inline constexpr double kMilli = 1e3;
// Both Adams start from the same weights and see the same batches; what differs is rounding.
inline constexpr double kSameLoss = 1e-4;

// Taken within each round.
struct Ratio {
  double median, best;

  std::string text() const {
    return std::isnan(median) ? "-" : short_number(median) + " (" + short_number(best) + ")";
  }
};

inline Ratio ratio(const std::vector<double>& ours, const std::vector<double>& theirs) {
  if (theirs.empty()) return {std::nan(""), std::nan("")};
  std::vector<double> ratios;
  for (std::size_t i = 0; i < ours.size(); ++i) ratios.push_back(ours[i] / theirs[i]);
  return {median(ratios), least(ratios)};
}

inline bool have_same_loss(const Rounds& rounds) {
  return rounds.torch.empty() || std::abs(rounds.hand_loss / rounds.torch_loss - 1) < kSameLoss;
}

}  // namespace postrider::bench
