// How many targets lie in the intervals of their predictions, and how wide these are: intervals that
// follow the rows left out in training, beside those of the beliefs.
#pragma once

#include <array>
#include <vector>

#include "common/result.h"
#include "postrider/distributions.h"

namespace postrider::experiments {

inline constexpr std::array kLevels{0.5, 0.8, 0.9, 0.95};
inline constexpr std::size_t kShownLevel = 2;  // of these

// At one level, by intervals of one kind.
struct Held {
  double share = 0;  // of the targets
  double width = 0;  // in the mean, in standard deviations of the targets
};

struct HeldAtLevels {
  std::array<Held, kLevels.size()> conformal, beliefs;
};

HeldAtLevels held_by(const Distributions& found, const std::vector<double>& targets);
HeldAtLevels mean_over(const std::vector<HeldAtLevels>& splits);

// For the result file.
Object describe(const HeldAtLevels& held, std::size_t splits);

}  // namespace postrider::experiments
