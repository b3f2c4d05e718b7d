// The arithmetic of learning one example, counted.
#pragma once

#include <cstddef>

#include "bench/limits/counts.h"
#include "sweep/layout.h"

namespace postrider::bench {

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

}  // namespace postrider::bench
