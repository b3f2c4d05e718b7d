// Training on a factor graph of one example.
#pragma once

#include "network/network_graph.h"
#include "trainer.h"

namespace postrider::experiments {
using namespace internal;

class GraphTrainer : public Trainer {
 public:
  // Keeps references to both.
  GraphTrainer(const NetworkTask& task, const Problem& problem, graph::Rule rule);

  void sweep(std::size_t batch) override;
  double score(std::span<const Example> examples) override;
  std::vector<WeightBelief> weights() const override;

  const graph::Record& record() const { return network_.record(); }
  // How often a stored message could not be taken out because no positive precision would remain.
  std::size_t refused_quotients() const { return refused_; }

 private:
  const NetworkTask& task_;
  const Problem& problem_;
  NetworkGraph network_;
  std::vector<std::vector<Gaussian>> stored_;  // per batch and weight
  std::size_t refused_ = 0;
};

}  // namespace postrider::experiments
