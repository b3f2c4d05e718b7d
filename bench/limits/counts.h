// Vector arithmetic of the sweep's kernels per vector of edges, conditioned rule, one example at a
// time.
//
// From the formulas of src/factor/product-inl.h as src/sweep/weights-inl.h calls them, where a
// reciprocal is an estimate and two instructions of a Newton step:
//
//   moments of the belief                 1/rho: 3, mean: 1                                      4
//   forward, known inputs                 mean, variance                                         2
//   forward, uncertain inputs             mean, mean^2, variance twice                           4
//   to the weight                         d: 1, bound: 1, 1/d: 3, gain: 1, gap: 1, tau, rho: 2   9
//     lanes across inputs                 also x^2 and x times the power                        +2
//   to the input                          w^2: 1, then as to the weight, with its gap             9
//
// tools/count-kernel counts the same in the compiled loops: `tools/count-kernel --compare` says if
// they still agree.
#pragma once

#include <cstddef>

namespace postrider::bench {

struct LoopCount {
  std::size_t arithmetic;  // with the estimates
  std::size_t estimates;   // of reciprocals
};

inline constexpr LoopCount kForwardKnown{6, 1};
inline constexpr LoopCount kForwardUncertain{8, 1};
inline constexpr LoopCount kBackwardKnownUnitsAcross{13, 2};
inline constexpr LoopCount kBackwardHiddenUnitsAcross{22, 3};
inline constexpr LoopCount kBackwardKnownInputsAcross{15, 2};
inline constexpr LoopCount kBackwardHiddenInputsAcross{24, 3};

// Networks side by side, a network in each lane (src/sweep/pack): the loops over inputs sweep four units,
// so that these counts are of four vectors of edges. Backwards:
//
//   to a weight of the first layer        c0, 1 and var_b over c1 are ready; share: 1, rho - p x^2: 1,
//                                         bound: 2, 1/d: 3, gain: 1, gap: 2, tau, rho: 3               13
//   to a weight and an input              as above                                                   22
//   for four units                        x times the power: 1, and x^2 in hidden layers: 1
inline constexpr std::size_t kPackUnits = 4;
inline constexpr LoopCount kPackForwardKnown{24, 4};
inline constexpr LoopCount kPackForwardUncertain{32, 4};
inline constexpr LoopCount kPackBackwardGiven{53, 4};
inline constexpr LoopCount kPackBackwardHidden{90, 12};
// Per vector of units, a network in each lane, conditioned rule, with the guard.
inline constexpr LoopCount kPackActivationForward{74, 3};
inline constexpr LoopCount kPackActivationBackward{246, 12};

}  // namespace postrider::bench
