// A network lowered to the graph engine: one example's factor graph, swept by the paper's schedule.
// Slow and readable: what the sweep engine is compared with.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "factor/words.h"
#include "postrider/graph/factor_graph.h"
#include "postrider/network/network.h"
#include "sweep/layout.h"

namespace postrider::internal {

// Layer l holds, for each unit i and each input j of the layer,
//
//   product     z_ij = w_ij a_ij     linear      s_i = sum_j z_ij     leaky ReLU  x_i = relu(s_i)
//   copy        a_ij = x_j of the layer below
//
// and the last layer's sums are seen through Gaussian noise. A bias is the product of a weight and a
// known one. The copies make the schedule the paper's: what a product tells an activation is formed
// from the forward message alone, not from what the other products have told it meanwhile. Only
// conditioned rules would see the difference.
class NetworkGraph {
 public:
  // Direct rules can do without copies. With them, what a factor hears at the end of a sweep is what
  // it heard when it sent.
  enum class Copies { where_needed, everywhere };

  // The factors of one layer: plates, unit by unit. A product's edges are term, weight, input; the
  // `groups` partial sums of a unit come before its sum, if there are any.
  struct Layer {
    std::size_t inputs = 0, units = 0, terms = 0;
    std::size_t group = 0, groups = 0;  // groups = 0: the terms are summed at once
    bool has_copies = false, has_bias = false, has_rectifiers = false;
    graph::Variable sum{};
    graph::FactorNode copies{}, products{}, biases{}, parts{}, sums{}, rectifiers{};
  };

  NetworkGraph(const network::NetworkOptions& options, double noise_variance,
               Copies copies = Copies::where_needed);

  // Numbered as in Network. Beliefs start without information: set them all.
  void set_weight(std::size_t index, const Gaussian& belief);
  Gaussian weight(std::size_t index) const;

  // One example, forwards and backwards; what it says is multiplied into the weights.
  void learn(std::span<const Gaussian> inputs, std::span<const double> targets);
  // The messages to the outputs, before noise.
  std::vector<Gaussian> predict(std::span<const Gaussian> inputs);
  // After predict(): the way back from what targets say of the outputs. The weights stay as they are
  // until what was sent is multiplied in.
  void hear(std::span<const Gaussian> said);

  const graph::FactorGraph& graph() const { return graph_; }
  const std::vector<Layer>& layers() const { return layers_; }
  // What happened in all sweeps so far.
  const graph::Record& record() const { return record_; }

 private:
  graph::Variable add_layer(const postrider::network::Layer& options, const SweepLayer& shape,
                            graph::Variable below, Rule rule, bool has_copies);
  void add_sums(Layer& layer, std::span<const graph::Variable> terms);
  void forward(std::span<const Gaussian> inputs);
  void backward();
  void set_output_prior(std::size_t output, const Gaussian& said);

  graph::FactorGraph graph_;
  graph::Record record_;
  std::vector<Layer> layers_;
  std::vector<Gaussian> output_prior_;  // without what targets say
  graph::Variable input_, one_, output_{};
  graph::FactorNode likelihoods_{};
  std::vector<graph::Variable> weights_;
};

}  // namespace postrider::internal
