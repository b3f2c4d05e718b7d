// How much each column matters, found where rows are few.
#pragma once

#include <cstddef>
#include <vector>

#include "encode/supervised_cuts.h"
#include "postrider/encoding.h"
#include "postrider/inputs.h"

namespace postrider::internal {

// The standard encoding with the columns' units divided by their relevances: those under which the targets are most probable for
// an infinitely wide network, with broad priors of the logarithms. Columns that hardly matter then move the units of a network
// by little, and the few rows need not teach every weight that it is none. At most 300 rows are looked at. Missing numbers count
// as the mean.
std::vector<ColumnEncoding> relevance_encodings(const Inputs& rows, const TargetsToTell& targets,
                                                double slope);

// --- How probable targets are under a network of infinitely many units, in closed form.

// Logarithms of what a wide network's prior is made of.
struct WidePrior {
  std::vector<double>
      relevance;      // s_c of each column: the standard deviation of the weights from it
  double output = 0;  // v, the variance of the weights to the output
  double bias = 0;    // b, the variance of the hidden units' biases
  double noise = 0;   // n, of the targets
};

// The logarithm of a probability, and its derivatives by those logarithms.
struct WideEvidence {
  double value = 0;
  WidePrior gradient;
};

// Standardised inputs, of which all numbers are there, and standardised targets, under one hidden layer of leaky ReLUs of this slope. Functions drawn from such a prior are a Gaussian process, so the targets are Gaussian
// with the covariance
//
//   C_ij = v (2 E[phi(u_i) phi(u_j)] + o) + [i = j] n/w_i,   u ~ N(0, k),   k_ij = sum_c s_c^2 x_ic x_jc + b
//   E[phi(u_i) phi(u_j)] = a k_ij + (1 - a)^2 (sqrt(k_ii k_jj) sin t + (pi - t) k_ij)/(2 pi),   cos t = k_ij/sqrt(k_ii k_jj)
//
// and log p = -1/2 sum over the outputs of y^T C^-1 y + log |C| + N log 2 pi. Minus infinity where C is not positive definite in floating point.
WideEvidence wide_evidence(const Examples& rows, const WidePrior& logarithms, double slope);

}  // namespace postrider::internal
