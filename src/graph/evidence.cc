#include <cmath>
#include <limits>

#include "graph/state.h"

namespace postrider::internal {
namespace {

// The edge to look at the factor from: a free variable's, if a rule with a scale leads there.
std::optional<Index> edge_with_scale(const GraphState& state, Index factor) {
  const Plate& plate = state.plate(factor);
  const Index first = state.first_edge_of_factor(factor);
  std::optional<Index> observed;
  for (Index k = 0; k < plate.arity; ++k) {
    if (!plate.factor->info().find(k, plate.rules[k]).has_log_scale) continue;
    if (!state.is_observed(state.variable_of(first + k))) return first + k;
    observed = first + k;
  }
  return observed;
}

// log of the integral of the product of a variable's prior and all its messages.
double log_mass(const GraphState& state, Index variable) {
  Gaussian product = state.prior(variable);
  double sum = 0;
  bool informed = !product.is_uniform();
  for (Index e = state.first_edge_of_variable(variable); e != kNone; e = state.next_edge(e)) {
    const Gaussian& message = state.message(e);
    if (message.is_uniform()) continue;
    if (informed) sum += log_overlap(product, message);
    product *= message;
    informed = true;
  }
  return informed ? sum : std::numeric_limits<double>::infinity();
}

}  // namespace

// Bethe: log Z = sum_f log Z_f - sum_v (sum_{f at v} log Z_fv - log Z_v) over the free variables.
std::optional<double> log_evidence(const GraphState& state) {
  double sum = 0;
  std::vector<Gaussian> incoming;
  for (Index factor = 0; factor < state.factor_count(); ++factor) {
    if (state.is_removed(factor)) continue;
    const std::optional<Index> edge = edge_with_scale(state, factor);
    if (!edge) return {};
    const Reply reply = state.propose(*edge, incoming);
    if (!reply.log_scale) return {};
    sum += *reply.log_scale + log_overlap(reply.message, state.to_factor(*edge));
  }
  for (Index variable = 0; variable < state.variable_count(); ++variable) {
    if (state.is_observed(variable) || state.first_edge_of_variable(variable) == kNone) continue;
    sum += log_mass(state, variable);
    for (Index e = state.first_edge_of_variable(variable); e != kNone; e = state.next_edge(e))
      sum -= log_overlap(state.message(e), state.to_factor(e));
  }
  // Minus infinity is an answer: the observations exclude each other.
  if (std::isnan(sum) || sum > std::numeric_limits<double>::max()) return {};
  return sum;
}

}  // namespace postrider::internal
