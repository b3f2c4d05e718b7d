// Dirichlet beliefs of probability vectors, p(p_1 ... p_K) proportional to the product of p_k^(a_k - 1), and what observations send to them.
//
// A symbol that was seen to be k sends p_k: a_k grows by 1, exactly; Beta beliefs are those of two symbols. A symbol that was not seen itself,
// but has the likelihood l_k if it is k, sends sum_k p_k l_k. Its tilted belief is a mixture,
//
//   sum_k r_k Dirichlet(a + e_k),   r_k proportional to a_k l_k,   with the mass Z = sum_k a_k l_k/s,   s = sum_k a_k.
//
// There are two ways back into the family. Soft counts add r to a: the mean is kept, and the belief is as sure as if symbols had been seen.
// The projection keeps the mean m and the sum V of the variances of the mixture,
//
//   m_k = (a_k + r_k)/(s + 1),   V = sum_k r_k (1 - Q_k)/(s + 2) + sum_k r_k (1 - r_k)/(s + 1)^2,   Q_k = sum_j (a_j + [j = k])^2/(s + 1)^2,
//   new s = (1 - sum_k m_k^2)/V - 1,   new a = (new s) m,
//
// which is the same as matching the sum of second moments. New a is above 0 wherever a is; the message, new a minus a, need not be.
//
// Reference: Minka and Lafferty, "Expectation-propagation for the generative aspect model", UAI 2002.
#pragma once

#include <span>

namespace postrider::internal {

// log Gamma(a + n) - log Gamma(a) for a > 0 and n >= 0, without the loss of digits that the difference has where a is large.
double log_rising(double a, double n);

// log of the integral of the belief's product of p_k^(counts_k): what a sequence of symbols with these counts is worth.
double log_sequence_mass(std::span<const double> a, std::span<const double> counts);

// r_k of the mixture above into `chances`; returns Z, or 0 where no symbol is possible, and leaves `chances` then as 0.
double symbol_chances(std::span<const double> a, std::span<const double> likelihoods,
                      std::span<double> chances);

// The projection above into `belief`, which may be `a` itself.
void project_symbol(std::span<const double> a, std::span<const double> chances,
                    std::span<double> belief);

// Mean and standard deviation of each probability; either may be empty.
void dirichlet_moments(std::span<const double> a, std::span<double> means,
                       std::span<double> deviations);

}  // namespace postrider::internal
