// Many unknown probabilities, vectors of probabilities, rates or precisions, each of which observations concern by itself: conjugate beliefs,
// exact, with the evidence.
//
//   // 300 pages, Beta(1, 1) each, orders and visits without one
//   const auto pages = graph::dirichlet_beliefs({.width = 2, .prior = one_one, .counts = orders_and_rest});
//   pages.means[0], pages.deviations[0]                          // of the first page's rate of orders
//
//   // accident rates of roads, Gamma(2, 1) each
//   const auto roads = graph::gamma_beliefs({.shapes = {2.0}, .rates = {1.0}, .events = accidents, .exposures = years});
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "postrider/export.h"

namespace postrider::graph {

// Rows of `width` probabilities that sum to 1, Dirichlet beforehand with parameters `prior`, of each row or once for all. Counts say how often
// each of the `width` symbols was seen in each row. Width 2 are Beta beliefs: counts of successes and failures.
struct DirichletPlate {
  std::size_t width;
  std::span<const double> prior;
  std::span<const double> counts;
};

struct DirichletBeliefs {
  std::vector<double> parameters, means, deviations;  // rows x width
  // log p(symbols, in the order in which they were seen). Where only counts were seen, add the logarithm of the number of orders.
  double log_evidence = 0;
};

// Throws InvalidArgument for parameters that are not above 0 and counts below 0.
POSTRIDER_EXPORT DirichletBeliefs dirichlet_beliefs(const DirichletPlate& plate);

// Numbers g above 0 that are Gamma beforehand, proportional to g^(shape - 1) exp(-rate g), with shapes and rates of each row or once for all.
// What was seen of a row has a likelihood proportional to g^events exp(-g exposure): the sum of Poisson counts and the sum of their
// exposures; half the number of normal values of precision g, and half the sum of their squared distances from known means.
struct GammaPlate {
  std::span<const double> shapes, rates;
  std::span<const double> events, exposures;
};

struct GammaBeliefs {
  std::vector<double> shapes, rates, means, deviations;
  // log of the integral of prior times g^events exp(-g exposure), over all rows. Factors without g are the caller's to add.
  double log_evidence = 0;
};

POSTRIDER_EXPORT GammaBeliefs gamma_beliefs(const GammaPlate& plate);

}  // namespace postrider::graph
