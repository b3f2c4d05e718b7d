// A bank of rates at which beliefs may drift: which of them predicts best is found out as rows come.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace postrider::internal {

// Rate k predicts a row with the density p_k, and the bank with the mixture sum_k w_k p_k. Then
//
//   w_k <- (1 - share) w_k p_k / sum_j w_j p_j  +  share / K ,
//
// which is the posterior of a chain that stays with its rate or, with the probability `share` at each row,
// begins anew with any of them: a rate that was of no use for long can come back.
class RateBank {
 public:
  // Once in a thousand rows: chosen on generated streams (docs/design/trials-streams.md).
  static constexpr double kShare = 1e-3;

  // As likely each; at least one. Throws InvalidArgument if the share is not between 0 and 1.
  explicit RateBank(std::size_t rates, double share = kShare);
  // Goes on from weights that were written down. Throws InvalidArgument if they are no probabilities.
  explicit RateBank(std::vector<double> weights, double share = kShare);

  std::size_t size() const { return weights_.size(); }
  const std::vector<double>& weights() const { return weights_; }  // they add up to 1
  double share() const { return share_; }

  // The log densities of the next row, one per rate; one that is not a number counts as no density at
  // all. Densities are raised to `power`, which is below 1 for rows that do not tell by themselves: those
  // that were predicted together, from beliefs that had heard none of them. Returns the log density of
  // the mixture before it learned the row; minus infinity if no rate has any, and then nothing changes.
  double observe(std::span<const double> log_densities, double power = 1);

 private:
  std::vector<double> weights_;
  double share_;
};

}  // namespace postrider::internal
