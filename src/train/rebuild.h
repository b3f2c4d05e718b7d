// The beliefs anew, in double, from the prior and the stored messages: running sums drift.
#pragma once

#include <cstddef>
#include <vector>

#include "base/workers.h"
#include "sweep/engine.h"
#include "train/store.h"

namespace postrider::internal {

// Replaces the belief of one network, or of several side by side. Returns for each the largest relative
// difference that this made; infinite if a belief is no longer proper.
template <class T>
std::vector<double> rebuild(const SweepEngine<T>& engine, const WeightMessages<T>& prior,
                            MessageStore<T>& store, WeightMessages<T>& belief, std::size_t networks,
                            Workers& workers);

// Whether every belief is a number and proper.
template <class T>
bool is_sound(const WeightMessages<T>& belief);

}  // namespace postrider::internal
