// The exact belief in the weights of a sum whose inputs are known.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/random.h"
#include "math/cholesky.h"
#include "postrider/gaussian.h"
#include "postrider/inputs.h"

namespace postrider::internal {

// What rows h with targets y, NaN where there is none, and precisions p in the place of weights say of the weights of a sum: sums
// over the rows, all of whose numbers are there.
struct LinearSums {
  explicit LinearSums(const Examples& rows);

  std::vector<double> products;  // p h h^T, of which the lower half is filled
  std::vector<double> told;      // p h y
  double squares = 0;            // p y^2
  double count = 0;              // of targets that are there
};

// Priors N(a m, a^2 v) in the place of N(m, v), and precisions times b.
struct LinearScales {
  double prior = 1, precision = 1;
};

// Bayesian linear regression. With weights w_j = m_j + s_j u_j, u ~ N(0, 1) beforehand
//
//   C = 1 + sum p (s h)(s h)^T,   u ~ N(C^-1 r, C^-1),   r = sum p (s h)(y - h m)
//
// C is never below 1, however sure the targets are.
class LinearBelief {
 public:
  // Priors are proper, one for each weight. Throws Error if the numbers are too large for an answer.
  LinearBelief(std::span<const Gaussian> priors, const LinearSums& sums, LinearScales scales = {});

  std::vector<double> mean() const;
  std::vector<double> draw(RandomStream& random) const;
  // log p(targets), but for what does not depend on the scales:
  //   1/2 (n log b - sum p (y - h m)^2 + r C^-1 r - log |C|)
  double log_evidence() const { return log_evidence_; }

 private:
  std::vector<double> weights_at(std::span<const double> u) const;

  std::vector<double> prior_means_, prior_stds_, mean_;  // the last one of u
  Cholesky precision_;
  double log_evidence_ = 0;
};

}  // namespace postrider::internal
