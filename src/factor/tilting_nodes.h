// What all quadratures of tilted beliefs have in common: nodes z = c + s sinh(t), t on a lattice, about a guess (c, s) of the tilted belief.
// Near the guess they are a fraction of its deviation apart; they reach so far that heavy tails are seen.
#pragma once

namespace postrider::internal::tilting {

// Deviations of guess and cavity that the nodes span, and the farthest they go, in deviations of the guess.
inline constexpr double kReach = 9, kFarthest = 1e9;
inline constexpr int kMostGuesses = 30;
// A guess is good enough if the moments found lie as near: the rule converges for all such. The shift is in deviations of the guess.
inline constexpr double kShift = 0.5, kNarrower = 0.35, kWider = 2.5;
// What is narrower than this share of the guess's deviation lies between few nodes: the next guess shrinks no further.
inline constexpr double kShrink = 0.2;

inline bool is_near(double shift, double ratio) {
  return shift <= kShift && shift >= -kShift && ratio >= kNarrower && ratio <= kWider;
}

}  // namespace postrider::internal::tilting
