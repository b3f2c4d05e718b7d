// The beliefs anew, in double, from the prior and the stored messages: running sums drift.
#pragma once

#include "base/workers.h"
#include "model/network_state.h"
#include "train/store.h"

namespace postrider {

// Replaces the network's belief. Returns the largest relative difference that this made; infinite if a
// belief is no longer proper.
template <class T>
double rebuild(NetworkArrays<T>& network, MessageStore<T>& store, Workers& workers);

// Whether every belief is a number and proper.
template <class T>
bool is_sound(const WeightMessages<T>& belief);

}  // namespace postrider
