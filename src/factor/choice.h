// Which of several noisy scores is the largest: probabilities, and messages to the scores. The
// formulas are those of choice-inl.h, run on the vector unit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "math/simd_level.h"

namespace postrider::internal {

// Beliefs N(mean, variance) in at least two scores, each of which is seen with noise of this
// variance above 0.
struct ChoiceScores {
  std::span<const double> mean, variance;
  double noise;
};

// The first and minus the second derivative of a log-probability by each mean.
struct ChoiceDerivatives {
  std::span<double> g1, g2;
};

// The instruction set, which takes a while to find out, and memory that is used again and again: one
// per thread.
struct ChoiceWork {
  explicit ChoiceWork(SimdLevel simd_level = SimdLevel::best()) : level(simd_level) {}

  // More are never used; scales then differ by a factor of more than a million.
  static constexpr std::size_t kMostNodes = 256;

  SimdLevel level;
  std::vector<double> mean, inverse;  // of the rivals
  std::vector<std::uint32_t> place;
  std::vector<double> weight, node, pull, bend;  // per node
  std::vector<double> hazard, w;                 // per rival and node

  void reserve(std::size_t nodes, std::size_t rivals) {
    for (std::vector<double>* of_nodes : {&weight, &node, &pull, &bend})
      if (of_nodes->size() < nodes) of_nodes->resize(nodes);
    for (std::vector<double>* of_all : {&hazard, &w})
      if (of_all->size() < rivals * nodes) of_all->resize(rivals * nodes);
  }
};

// The logarithm of the probability that the score `chosen` is the largest.
double choice_log_probability(const ChoiceScores& scores, std::size_t chosen, ChoiceWork& work);

// The same, and its derivatives. Rounding may put a g2 out of the bounds 0 <= g2 <= 1/s^2 that hold
// in exact arithmetic; the bound is then used, and `guarded` counts it.
double choice_derivatives(const ChoiceScores& scores, std::size_t chosen,
                          const ChoiceDerivatives& out, ChoiceWork& work, std::size_t& guarded);

// The probabilities of all scores, which sum to 1.
void choice_probabilities(const ChoiceScores& scores, std::span<double> out, ChoiceWork& work);

}  // namespace postrider::internal
