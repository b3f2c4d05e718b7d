// Latent vectors of inputs: of each pair of inputs in different fields, the product of their vectors is added to the score,
//
//   s += sum over pairs (i, j) of sum_k (x_i u_ik) (x_j u_jk),
//
// where every u_ik is a Gaussian belief: a factorisation machine of product factors in one sum, see product-inl.h. What the target
// says of s, in the derivatives g1 and g2 of log Z, comes back to the sum as N(mean_s + g1/g2, 1/g2 - var_s).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sparse/linear.h"
#include "sparse/weight_table.h"

namespace postrider::internal::hashed {

// A score's part.
struct ScoreMoments {
  double mean = 0, variance = 0;
};

class Latent {
 public:
  Latent(std::size_t size, std::uint64_t seed)
      : weights(size), prior_(size, kVariance), seed_(seed) {}

  WeightTable weights;  // the vector's means, then its variances

  // Prior variance of each number for inputs of size 1, and the standard deviation of the first means, without which all
  // products would stay at 0. Chosen on rows of their own: see docs/design/trials-streams.md.
  static constexpr float kVariance = 0.1F;
  static constexpr double kFirstStd = 0.1;

  // By the beliefs as they are; an input that was never seen has means of 0.
  ScoreMoments score(const RowView& row, std::span<const std::uint32_t> fields) const;

  // Creates and finds the row's vectors: call before what follows.
  void touch(const RowView& row, std::span<const std::uint32_t> fields);
  // With the row's messages taken out: `size` taus and as many rhos for each key. No messages: nothing is taken out.
  ScoreMoments cavity_score(StoredMessages stored, std::size_t& guarded);
  // Sets beliefs from the cavities, and the messages if they are kept. `variance` is that of the whole score.
  void renew(double g1, double g2, double variance, StoredMessages stored);

 private:
  ScoreMoments score_of(const RowView& row, std::span<const std::uint32_t> fields,
                        std::span<const float* const> beliefs) const;

  std::vector<float> prior_;
  std::uint64_t seed_;
  // About the row at hand.
  RowView row_;
  std::span<const std::uint32_t> fields_;
  std::vector<float*> slots_;
  std::vector<float> cavities_;
  std::vector<double> taus_, rhos_;
};

}  // namespace postrider::internal::hashed
