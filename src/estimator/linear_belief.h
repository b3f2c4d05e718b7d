// The exact belief in the weights of a sum whose inputs are known.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/random.h"
#include "math/cholesky.h"
#include "postrider/gaussian.h"

namespace postrider {

// Rows of inputs, as many as there are priors; a target for each, NaN where there is none; and how sure it is.
struct LinearRows {
  std::span<const double> inputs, targets, precisions;
};

// Bayesian linear regression. With weights w_j = m_j + s_j u_j, u ~ N(0, 1) beforehand, rows h, targets y and precisions p
//
//   C = 1 + sum p (s h)(s h)^T,   u ~ N(C^-1 sum p (s h)(y - h m), C^-1)
//
// C is never below 1, however sure the targets are.
class LinearBelief {
 public:
  // Priors are proper. Throws Error if the numbers are too large for an answer.
  LinearBelief(std::span<const Gaussian> priors, const LinearRows& rows);

  std::vector<double> mean() const;
  std::vector<double> draw(RandomStream& random) const;

 private:
  std::vector<double> weights_at(std::span<const double> u) const;

  std::vector<double> prior_means_, prior_stds_, mean_;  // the last one of u
  Cholesky precision_;
};

}  // namespace postrider
