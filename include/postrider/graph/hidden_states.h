// Hidden states: which of K each of T steps was in, exactly, by sums and products of probabilities along the chain.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "postrider/export.h"

namespace postrider::graph {

// Steps t = 0 ... T - 1 with states s_t: p(s_0) = initial, p(s_t | s_(t-1)) = transition[s_(t-1), s_t], and what was seen at t has the likelihood
// exp(log_likelihoods[t, s_t]). Independent steps are a chain whose transition has equal rows.
struct HiddenStates {
  std::span<const double> log_likelihoods;  // T x K, row by row
  std::span<const double> initial;          // K probabilities
  std::span<const double> transition;       // K x K, rows of probabilities
};

struct StateBeliefs {
  std::vector<double> probabilities;  // T x K: of each step, given all that was seen
  std::vector<std::size_t> most_probable_path;
  double log_evidence = 0;  // minus infinity if no path is possible; the rest is then empty
};

// Throws InvalidArgument where probabilities are none.
POSTRIDER_EXPORT StateBeliefs state_beliefs(const HiddenStates& states);

}  // namespace postrider::graph
