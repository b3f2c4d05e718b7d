// How the outputs answer to each input, from the beliefs alone.
//
// The slope of an output in an input is the product of matrices W_L D_(L-1) W_(L-1) ... D_1 W_1, where
// D holds the slopes of the activations. Weights are independent under the beliefs. For a row about
// which nothing is known a unit's slope is 1 or that of its negative side; which one, the sign of its
// sum decides, and the forward message says how likely that is. Mean and variance of the slopes are
// carried down from the outputs layer by layer, as if sums were over independent terms.
#include <algorithm>
#include <cmath>
#include <limits>

#include "math/normal-inl.h"
#include "network/network_graph.h"
#include "network/network_state.h"
#include "postrider/error.h"
#include "postrider/network/audit.h"

namespace postrider::network {
using namespace internal;
namespace {

// Mean and mean square of a random slope.
struct Slope {
  double mean = 0, square = 0;
};

// For one layer, unit by unit: what multiplies the slope on the way through the activation.
std::vector<Slope> activation_slopes(const NetworkGraph& graph, std::size_t layer, double slope) {
  const NetworkGraph::Layer& plates = graph.layers()[layer];
  std::vector<Slope> out(plates.units, {1, 1});
  if (!plates.has_rectifiers) return out;
  for (std::size_t i = 0; i < plates.units; ++i) {
    const graph::FactorNode node{plates.rectifiers.index + static_cast<std::uint32_t>(i)};
    const Gaussian sum = graph.graph().incoming(node, 1);
    const double above = HWY_NAMESPACE::normal_cdf(sum.mean() / sum.std());
    out[i] = {above + (1 - above) * slope, above + (1 - above) * slope * slope};
  }
  return out;
}

// From the slopes in a layer's sums to those in its inputs.
std::vector<Slope> through_weights(const Network& network, const SweepLayer& layer,
                                   std::size_t first_weight, const std::vector<Slope>& above) {
  std::vector<Slope> out(layer.inputs);
  for (std::size_t j = 0; j < layer.inputs; ++j) {
    double mean = 0, variance = 0;
    for (std::size_t i = 0; i < layer.units; ++i) {
      const Gaussian weight = network.weight(first_weight + i * layer.fan_in() + j);
      const double term = above[i].mean * weight.mean();
      mean += term;
      variance +=
          above[i].square * (weight.mean() * weight.mean() + weight.variance()) - term * term;
    }
    out[j] = {mean, mean * mean + variance};
  }
  return out;
}

class Influences {
 public:
  explicit Influences(const Network& network)
      : network_(network),
        layers_(sweep_layers(network.options())),
        graph_(network.options(), 1, NetworkGraph::Copies::where_needed) {
    for (std::size_t k = 0; k < network.weight_count(); ++k)
      graph_.set_weight(k, network.weight(k));
    // A row about which nothing is known: every input is N(0, 1), as a missing one is.
    const std::vector<double> missing(network.options().inputs,
                                      std::numeric_limits<double>::quiet_NaN());
    const StoredInputs<double> rows = prepared_rows<double>({missing}, missing.size());
    const InputRow<double> row = rows.row(0);
    std::vector<Gaussian> inputs;
    for (std::size_t j = 0; j < missing.size(); ++j)
      inputs.push_back(Gaussian::from_moments(row.means[j], row.variance(j)));
    graph_.predict(inputs);
  }

  // The slopes of one output, per input.
  std::vector<Slope> of(std::size_t output) const {
    std::vector<Slope> slopes(layers_.back().units);
    slopes[output] = {1, 1};
    std::size_t weight = network_.weight_count();
    for (std::size_t l = layers_.size(); l-- > 0;) {
      const std::vector<Slope> bend = activation_slopes(graph_, l, layers_[l].slope);
      for (std::size_t i = 0; i < slopes.size(); ++i)
        slopes[i] = {slopes[i].mean * bend[i].mean, slopes[i].square * bend[i].square};
      weight -= layers_[l].weights();
      slopes = through_weights(network_, layers_[l], weight, slopes);
    }
    return slopes;
  }

  double nats(std::size_t input) const {
    double out = 0;
    for (std::size_t i = 0; i < layers_.front().units; ++i) {
      const std::size_t k = i * layers_.front().fan_in() + input;
      out += kl_divergence(network_.weight(k), network_.prior(k));
    }
    return out;
  }

 private:
  const Network& network_;
  std::vector<SweepLayer> layers_;
  NetworkGraph graph_;
};

}  // namespace

std::vector<InputInfluence> input_influence(const Network& network, std::size_t outputs) {
  const std::size_t all = network.options().outputs();
  if (outputs > all) reject("outputs", outputs, "must not exceed those of the network");
  const Influences influences(network);
  std::vector<InputInfluence> out(network.options().inputs);
  std::vector<double> squares(out.size()), largest(out.size(), -1);
  for (std::size_t o = 0; o < (outputs > 0 ? outputs : all); ++o) {
    const std::vector<Slope> slopes = influences.of(o);
    for (std::size_t j = 0; j < out.size(); ++j) {
      squares[j] += slopes[j].square;
      if (std::abs(slopes[j].mean) <= largest[j]) continue;
      largest[j] = std::abs(slopes[j].mean);
      out[j].slope = slopes[j].mean;
      out[j].std = std::sqrt(std::max(0.0, slopes[j].square - slopes[j].mean * slopes[j].mean));
    }
  }
  for (std::size_t j = 0; j < out.size(); ++j) {
    out[j].strength = std::sqrt(squares[j]);
    out[j].nats = influences.nats(j);
  }
  return out;
}

}  // namespace postrider::network
