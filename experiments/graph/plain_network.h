// The same training without graph, factors or messages as objects: loops over arrays.
//
// A second derivation, to compare with. It shares the data with the other and no formula: these are
// the naive forms, as one would write them down from the paper. A ReLU's second moments cancel in
// that form, so its two functions calculate in long double.
#pragma once

#include "trainer.h"

namespace postrider::experiments {
using namespace internal;

class PlainNetwork : public Trainer {
 public:
  // Keeps references to both.
  PlainNetwork(const NetworkTask& task, const Problem& problem, bool is_conditioned);

  void sweep(std::size_t batch) override;
  double score(std::span<const Example> examples) override;
  std::vector<WeightBelief> weights() const override { return belief_; }

 private:
  struct Moments {
    double mean, variance;
  };
  // From inputs to units; the layer's weights begin at `first`.
  struct Layer {
    std::size_t inputs, units, first;
    double slope;  // 1 for the last: no ReLU
    std::vector<Moments> input, sum;
  };

  void forward(const Example& example);
  void learn(const Example& example, std::vector<WeightBelief>& stored);
  Moments weight(std::size_t index) const;
  WeightBelief to_factor(const Moments& self, const Moments& other, const Moments& z) const;
  static Moments product(const Moments& x, const Moments& y);
  static Moments relu(const Moments& sum, double slope);
  static Moments relu_backward_direct(const Moments& back, double slope);
  static Moments relu_backward_conditioned(const Moments& sum, const Moments& back, double slope);

  const NetworkTask& task_;
  const Problem& problem_;
  bool is_conditioned_;
  std::vector<Layer> layers_;
  std::vector<WeightBelief> belief_;
  std::vector<std::vector<WeightBelief>> stored_;  // per batch and weight
};

}  // namespace postrider::experiments
