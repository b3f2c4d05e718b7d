// The likelihoods that a model knows by name: how numbers that were observed depend on linear combinations z of its variables.
//
//   bernoulli_logit      P(y = 1) = 1/(1 + exp(-z))                     y: 0 or 1
//   bernoulli_probit     P(y = 1) = Phi(z)                              y: 0 or 1
//   binomial_logit       P(y) ~ p^y (1 - p)^(n - y), p as above         y: 0 ... n;  parameter n
//   poisson              P(y) = exp(y z - exp(z))/y!                    y: 0, 1, ...
//   negative_binomial    mean exp(z), variance mean + mean^2/r          y: 0, 1, ...;  parameter r
//   student_t            (y - z)/scale has nu degrees of freedom        parameters scale, nu
//   ordinal_probit       P(y <= k) = Phi(cut_k - z)                     y: 0 ... K;  parameters cut_1 < ... < cut_K
//   ordinal_logit        P(y <= k) = 1/(1 + exp(z - cut_k))             as above
//   log_variance         N(y; 0, exp(z))
//   normal_log_variance  N(y; v, exp(u)) of two edges (u, v)
//   normal_product       N(y; u v, deviation^2) of two edges            parameter deviation
//   item_probit          P(y = 1) = Phi(u v) of two edges               y: 0 or 1
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/site.h"

namespace postrider::internal {

// Numbers of the rows. Parameters stand once for all rows, or for each; ordinal cuts once.
struct Observations {
  std::vector<double> y, parameters, second_parameters;
  // Added to the last edge of each row, or to both of two, row by row; none if empty.
  std::vector<double> offsets;
};

// Throws InvalidArgument, naming what the likelihood does not take.
std::unique_ptr<SiteRule> likelihood(std::string_view name, Observations observations);
std::vector<std::string_view> likelihood_names();
std::size_t edges_of_likelihood(std::string_view name);

}  // namespace postrider::internal
