// The shares of one document, given how likely each of its words is in each topic.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace postrider::internal {

// Expectation propagation with Dirichlet messages: what a word sends is the projection of its tilted belief (factor/dirichlet.h) less its
// cavity. Copies of a word send the same. A step that would leave a parameter at 0 or below is halved, and in the end left out, so that the
// belief is proper always.
class DocumentShares {
 public:
  explicit DocumentShares(std::span<const double> prior) : prior_(prior), belief_(prior.size()) {}

  // likelihoods: of each entry in each topic, entry by entry; numbers: how often it stands. Returns the Dirichlet parameters, which are valid
  // until the next call.
  std::span<const double> infer(std::span<const double> likelihoods,
                                std::span<const double> numbers);

 private:
  // The largest change of a parameter, relative to all.
  double sweep(std::span<const double> likelihoods, std::span<const double> numbers);
  // Moves a message as far as the belief stays proper; returns the largest change.
  double move(std::span<double> message, double number);

  std::span<const double> prior_;
  double step_ = 1;
  std::vector<double> belief_, messages_, cavity_, chances_, wanted_, next_;
};

}  // namespace postrider::internal
