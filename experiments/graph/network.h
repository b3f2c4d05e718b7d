// A feed-forward network as a factor graph of one example.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "network_task.h"
#include "postrider/graph.h"

namespace postrider::experiments {

// Layer l holds, for each unit i and each input j of the layer,
//
//   product     z_ij = w_ij a_ij     linear      s_i = sum_j z_ij     leaky ReLU  x_i = relu(s_i)
//   copy        a_ij = x_j of the layer below
//
// and the last layer's sums are seen through Gaussian noise. The copies make the schedule the
// paper's: what a product tells an activation is formed from the forward message alone, not from
// what the other products have told it meanwhile. Only conditioned rules would see the difference.
class Network {
 public:
  // `rule` wherever a factor has it; a factor with one rule keeps that.
  Network(const NetworkShape& shape, Rule rule);

  // Weights are numbered layer by layer, unit by unit, input by input.
  void set_weight(std::size_t index, const Gaussian& belief);
  Gaussian weight(std::size_t index) const;

  // One example, forwards and backwards; what it says is multiplied into the weights.
  void learn(std::span<const double> inputs, std::span<const double> targets);
  // The messages to the outputs, before noise.
  std::vector<Gaussian> predict(std::span<const double> inputs);

  const Record& record() const { return record_; }

 private:
  struct Layer {
    std::size_t inputs, units, group, groups;  // groups = 0: the terms are summed at once
    bool has_copies;
    Variable weight, product, sum, activation;
    FactorNode copies, products, parts, sums, rectifiers;
  };

  void forward(std::span<const double> inputs);
  void backward(std::span<const double> targets);
  void send_all(FactorNode first, std::size_t count, std::size_t edge);

  FactorGraph graph_;
  Record record_;
  std::vector<Layer> layers_;
  Variable input_, output_;
  FactorNode likelihoods_;
  std::vector<Variable> weights_;
};

}  // namespace postrider::experiments
