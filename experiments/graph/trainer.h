// What the experiment asks of a program that trains a network.
#pragma once

#include <span>
#include <vector>

#include "common/network_task.h"

namespace postrider::experiments {

struct WeightBelief {
  double tau, rho;  // mean/variance, 1/variance
};

// The paper's algorithm: each batch has a stored message per weight. It is taken out of the belief,
// the batch's examples are swept one after the other, and what they say becomes the new message.
class Trainer {
 public:
  Trainer() = default;
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;
  virtual ~Trainer() = default;

  virtual void sweep(std::size_t batch) = 0;
  // Negative log-likelihood per example and output.
  virtual double score(std::span<const Example> examples) = 0;
  virtual std::vector<WeightBelief> weights() const = 0;
};

}  // namespace postrider::experiments
