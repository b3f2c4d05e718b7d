// One message of a network against the exact one.
#pragma once

#include <optional>
#include <vector>

#include "factor/words.h"

namespace postrider::internal {

// What a factor heard on its edges and what it then sent to one of them.
struct SentMessage {
  std::vector<Gaussian> incoming;
  Gaussian sent;
};

// Why the master theorem says nothing about a message.
enum class Outside { none, infinite_mass, infinite_kl, nothing_came_in };

struct Comparison {
  std::optional<double> message_kl, bound, marginal_kl;  // as far as they exist
  Outside outside = Outside::none;
  bool concentrated = false;  // see NetworkCertificate::Messages
};

// Whether the message is exact by its form, so that there is nothing to compare: that of a linear
// factor, and that of a product one of whose factors is known.
bool is_exact(const Factor& factor, std::size_t edge, const SentMessage& message);

// For products and for relations of one variable that are straight between their kinks. The inputs
// must be proper.
Comparison compare_with_exact(const Factor& factor, std::size_t edge, const SentMessage& message);

}  // namespace postrider::internal
