// The arithmetic of learning one example, counted.
#pragma once

#include <cstddef>
#include <vector>

#include "bench/common/roofs.h"
#include "bench/limits/counts.h"
#include "sweep/layout.h"
#include "sweep/observation.h"

namespace postrider::bench {
using namespace internal;

// Vector instructions per example, over vectors of this many lanes; units are few against edges and
// are left out, so the true bound is a little higher.
struct Work {
  double arithmetic = 0, estimates = 0;
};

inline Work work_of(const Layout& layout, std::size_t lanes) {
  Work work;
  for (std::size_t l = 0; l < layout.layers().size(); ++l) {
    const LayerLayout& layer = layout.layers()[l];
    const LoopCount forward = l == 0 ? kForwardKnown : kForwardUncertain;
    const LoopCount backward =
        l == 0 ? (layer.units_across ? kBackwardKnownUnitsAcross : kBackwardKnownInputsAcross)
               : (layer.units_across ? kBackwardHiddenUnitsAcross : kBackwardHiddenInputsAcross);
    const auto vectors = static_cast<double>(layer.size() / lanes);
    work.arithmetic += vectors * static_cast<double>(forward.arithmetic + backward.arithmetic);
    work.estimates += vectors * static_cast<double>(forward.estimates + backward.estimates);
  }
  return work;
}

// The same for networks side by side in the lanes of vectors, all of them together and with their
// activations: small networks have many units for their edges. Taking out and storing a group's message is
// left out.
inline Work pack_work_of(const std::vector<SweepLayer>& layers, std::size_t lanes) {
  Work work;
  const auto vectors = static_cast<double>(kPack / lanes);
  const auto add = [&](LoopCount count, double times) {
    work.arithmetic += vectors * times * static_cast<double>(count.arithmetic);
    work.estimates += vectors * times * static_cast<double>(count.estimates);
  };
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const double edges = static_cast<double>(layers[l].weights()) / kPackUnits;
    add(l == 0 ? kPackForwardKnown : kPackForwardUncertain, edges);
    add(l == 0 ? kPackBackwardGiven : kPackBackwardHidden, edges);
    if (layers[l].slope == 1) continue;
    add(kPackActivationForward, static_cast<double>(layers[l].units));
    add(kPackActivationBackward, static_cast<double>(layers[l].units));
  }
  return work;
}

// Seconds that it takes at least: an estimate of a reciprocal as one instruction, or as measured.
struct Bound {
  double seconds, with_estimates;
};
inline Bound bound_of(const Work& work, const VectorRates& rates) {
  return {
      work.arithmetic / rates.multiply_adds,
      (work.arithmetic - work.estimates) / rates.multiply_adds + work.estimates / rates.estimates};
}

}  // namespace postrider::bench
