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
//   normal_product       N(y; u v, std^2) of two edges                  parameter std
//   item_probit          P(y = 1) = Phi(u v) of two edges               y: 0 or 1
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "factor/density_site.h"
#include "factor/site.h"

namespace postrider::internal {

// Numbers of the rows. Parameters stand once for all rows, or for each; ordinal cuts once.
struct Observations {
  std::vector<double> y, parameters, second_parameters;
  // Added to the last edge of each row, or to both of two, row by row; none if empty.
  std::vector<double> offsets;
};

struct LikelihoodInfo {
  std::string_view name, formula;
  std::size_t edges;
  std::string_view parameter = {}, second_parameter = {};  // what each is called, if there is one
};
std::span<const LikelihoodInfo> likelihoods();
// Throws InvalidArgument, listing those that exist.
const LikelihoodInfo& likelihood_info(std::string_view name);

// Throws InvalidArgument, naming what the likelihood does not take: a row of y is `observed[row]`, parameters are called as above. With a
// prefix, that of a factor, there is one row, `observed`, and parameters have the prefix before their names.
std::unique_ptr<SiteRule> likelihood(std::string_view name, Observations observations,
                                     std::string_view observed = "observed",
                                     std::string_view prefix = "", Nodes nodes = Nodes::quick);

}  // namespace postrider::internal
