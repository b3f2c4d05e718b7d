// Between the lanes of one double and the public Gaussian.
#pragma once

#include "factor/words.h"
#include "message/message-inl.h"

namespace postrider::internal {

inline Gaussian gaussian_of(const HWY_NAMESPACE::Message<double>& message) {
  return HWY_NAMESPACE::is_point_mass(message) ? Gaussian::point_mass(message.tau)
                                               : Gaussian::from_natural(message.tau, message.rho);
}

inline HWY_NAMESPACE::Message<double> natural(const Gaussian& message) {
  return {message.tau(), message.rho()};
}

inline HWY_NAMESPACE::Moments<double> moments_of(const Gaussian& message) {
  return {message.mean(), message.variance()};
}

// Throws InvalidArgument, naming the edges that exist.
[[noreturn]] void reject_edge(const FactorInfo& info, std::size_t edge);
// Throws InvalidArgument unless there is one incoming message per edge.
void expect_one_per_edge(const FactorInfo& info, std::span<const Gaussian> incoming);
// Throws InvalidArgument unless there is one incoming message per edge and row, and each array of
// the replies that is not empty has one element per row.
void expect_rows(const FactorInfo& info, std::span<const Gaussian> incoming,
                 const Replies& replies);

}  // namespace postrider::internal
