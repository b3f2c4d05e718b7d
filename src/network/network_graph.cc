#include "network/network_graph.h"

#include <memory>

#include "network/network_state.h"

namespace postrider::internal {
namespace {

graph::Variable at(graph::Variable first, std::size_t i) {
  return {first.index + static_cast<std::uint32_t>(i)};
}

std::shared_ptr<const Factor> sum_of(std::size_t count) {
  return graph::make_factor("linear", {{"weights", std::vector<double>(count, 1.0)}});
}

// A sum of n tells each of its terms something about all others: n^2 steps. Summed in groups of
// about sqrt(n), and then the groups, it is the same sum in n^1.5. Groups must be equally large.
std::size_t group_size(std::size_t terms) {
  constexpr std::size_t kFewTerms = 8;
  if (terms <= kFewTerms) return terms;
  std::size_t size = 1;
  for (std::size_t n = 2; n * n <= terms; ++n)
    if (terms % n == 0) size = n;
  return size == 1 ? terms : size;
}

void prefer(graph::FactorGraph& graph, graph::FactorNode plate, const Factor& factor, Rule rule) {
  for (std::size_t edge = 0; edge < factor.info().edges.size(); ++edge)
    graph.set_rule(plate, edge, factor.info().rule_or_default(edge, rule));
}

}  // namespace
}  // namespace postrider::internal

namespace postrider::internal {

NetworkGraph::NetworkGraph(const network::NetworkOptions& options, double noise_variance,
                           Copies copies)
    : input_(graph_.add_variables(options.inputs)), one_(graph_.add_variable("one")) {
  options.validate();
  const std::vector<SweepLayer> shape = sweep_layers(options);
  graph::Variable below = input_;
  for (std::size_t l = 0; l < shape.size(); ++l) {
    // Nothing is sent to the inputs, and direct rules do not look at the activation: no need for
    // copies there.
    const bool has_copies =
        l > 0 && (options.rule == Rule::conditioned || copies == Copies::everywhere);
    below = add_layer(options.layers[l], shape[l], below, options.rule, has_copies);
  }
  const std::optional<double> prior = options.layers.back().activation_prior_variance;
  output_prior_.assign(options.outputs(),
                       prior ? Gaussian::from_moments(0, *prior) : Gaussian::uniform());
  output_ = graph_.add_variables(options.outputs());
  std::vector<graph::Variable> seen;
  for (std::size_t i = 0; i < options.outputs(); ++i)
    seen.insert(seen.end(), {at(output_, i), at(layers_.back().sum, i)});
  likelihoods_ = graph_.add_plate(
      graph::make_factor("gaussian_likelihood", {{"variance", {noise_variance}}}), seen);
}

// Returns the first of the layer's activations.
graph::Variable NetworkGraph::add_layer(const postrider::network::Layer& options,
                                        const SweepLayer& shape, graph::Variable below, Rule rule,
                                        bool has_copies) {
  const std::size_t inputs = shape.inputs;
  Layer layer;
  layer.inputs = inputs;
  layer.units = options.units;
  layer.has_bias = options.bias;
  layer.terms = inputs + (options.bias ? 1 : 0);
  layer.has_copies = has_copies;
  layer.has_rectifiers = shape.slope != 1;

  const std::size_t count = layer.units * layer.terms;
  const graph::Variable weight = graph_.add_variables(count), term = graph_.add_variables(count);
  const graph::Variable copy =
      layer.has_copies ? graph_.add_variables(layer.units * inputs) : below;
  layer.sum = graph_.add_variables(layer.units);
  std::vector<graph::Variable> copies, products, biases, terms;
  for (std::size_t i = 0; i < layer.units; ++i)
    for (std::size_t j = 0; j < layer.terms; ++j) {
      const std::size_t k = i * layer.terms + j;
      const bool is_bias = j == inputs;
      const graph::Variable x = is_bias            ? one_
                                : layer.has_copies ? at(copy, i * inputs + j)
                                                   : at(below, j);
      if (layer.has_copies && !is_bias) copies.insert(copies.end(), {x, at(below, j)});
      (is_bias ? biases : products)
          .insert((is_bias ? biases : products).end(), {at(term, k), at(weight, k), x});
      terms.push_back(at(term, k));
      weights_.push_back(at(weight, k));
    }
  if (layer.has_copies) layer.copies = graph_.add_plate(sum_of(1), copies);
  const std::shared_ptr<const Factor> product = graph::make_factor("product");
  layer.products = graph_.add_plate(product, products);
  prefer(graph_, layer.products, *product, rule);
  if (layer.has_bias) {
    layer.biases = graph_.add_plate(product, biases);
    prefer(graph_, layer.biases, *product, rule);
  }
  add_sums(layer, terms);
  if (options.activation_prior_variance)
    for (std::size_t i = 0; i < layer.units; ++i)
      graph_.set_prior(at(layer.sum, i),
                       Gaussian::from_moments(0, *options.activation_prior_variance));

  graph::Variable activation = layer.sum;
  if (layer.has_rectifiers) {
    activation = graph_.add_variables(layer.units);
    std::vector<graph::Variable> rectifiers;
    for (std::size_t i = 0; i < layer.units; ++i)
      rectifiers.insert(rectifiers.end(), {at(activation, i), at(layer.sum, i)});
    const std::shared_ptr<const Factor> relu =
        graph::make_factor("leaky_relu", {{"slope", {shape.slope}}});
    layer.rectifiers = graph_.add_plate(relu, rectifiers);
    prefer(graph_, layer.rectifiers, *relu, rule);
  }
  layers_.push_back(layer);
  return activation;
}

void NetworkGraph::add_sums(Layer& layer, std::span<const graph::Variable> terms) {
  layer.group = group_size(layer.terms);
  layer.groups = layer.group == layer.terms ? 0 : layer.terms / layer.group;
  const graph::Variable part = graph_.add_variables(layer.units * layer.groups);
  std::vector<graph::Variable> parts, sums;
  for (std::size_t i = 0; i < layer.units; ++i) {
    sums.push_back(at(layer.sum, i));
    for (std::size_t g = 0; g < layer.groups; ++g) sums.push_back(at(part, i * layer.groups + g));
    for (std::size_t j = 0; j < layer.terms; ++j) {
      const std::size_t k = i * layer.terms + j;
      if (layer.groups > 0 && j % layer.group == 0) parts.push_back(at(part, k / layer.group));
      (layer.groups > 0 ? parts : sums).push_back(terms[k]);
    }
  }
  if (layer.groups > 0) layer.parts = graph_.add_plate(sum_of(layer.group), parts);
  layer.sums = graph_.add_plate(sum_of(sums.size() / layer.units - 1), sums);
}

void NetworkGraph::set_weight(std::size_t index, const Gaussian& belief) {
  graph_.set_prior(weights_[index], belief);
}

Gaussian NetworkGraph::weight(std::size_t index) const { return graph_.marginal(weights_[index]); }

void NetworkGraph::forward(std::span<const Gaussian> inputs) {
  graph_.reset();
  graph_.observe(one_, 1);
  for (std::size_t i = 0; i < output_prior_.size(); ++i) set_output_prior(i, Gaussian::uniform());
  for (std::size_t j = 0; j < inputs.size(); ++j) graph_.set_prior(at(input_, j), inputs[j]);
  for (const Layer& layer : layers_) {
    if (layer.has_copies) graph_.send_plate(layer.copies, 0, record_);
    graph_.send_plate(layer.products, 0, record_);
    if (layer.has_bias) graph_.send_plate(layer.biases, 0, record_);
    if (layer.groups > 0) graph_.send_plate(layer.parts, 0, record_);
    graph_.send_plate(layer.sums, 0, record_);
    if (layer.has_rectifiers) graph_.send_plate(layer.rectifiers, 0, record_);
  }
}

void NetworkGraph::backward() {
  for (std::size_t l = layers_.size(); l-- > 0;) {
    const Layer& layer = layers_[l];
    const std::size_t summands = layer.groups > 0 ? layer.groups : layer.terms;
    for (std::size_t j = 1; j <= summands; ++j) graph_.send_plate(layer.sums, j, record_);
    for (std::size_t j = 1; j <= layer.group && layer.groups > 0; ++j)
      graph_.send_plate(layer.parts, j, record_);
    graph_.send_plate(layer.products, 1, record_);
    if (layer.has_bias) graph_.send_plate(layer.biases, 1, record_);
    if (l == 0) break;
    graph_.send_plate(layer.products, 2, record_);
    if (layer.has_copies) graph_.send_plate(layer.copies, 1, record_);
    if (layers_[l - 1].has_rectifiers) graph_.send_plate(layers_[l - 1].rectifiers, 1, record_);
  }
}

void NetworkGraph::learn(std::span<const Gaussian> inputs, std::span<const double> targets) {
  forward(inputs);
  for (std::size_t i = 0; i < targets.size(); ++i) graph_.observe(at(output_, i), targets[i]);
  graph_.send_plate(likelihoods_, 1, record_);
  backward();
  for (const graph::Variable weight : weights_) graph_.absorb(weight);
}

std::vector<Gaussian> NetworkGraph::predict(std::span<const Gaussian> inputs) {
  forward(inputs);
  std::vector<Gaussian> out;
  const Layer& last = layers_.back();
  for (std::size_t i = 0; i < last.units; ++i) out.push_back(graph_.marginal(at(last.sum, i)));
  return out;
}

void NetworkGraph::hear(std::span<const Gaussian> said) {
  for (std::size_t i = 0; i < said.size(); ++i) set_output_prior(i, said[i]);
  backward();
}

void NetworkGraph::set_output_prior(std::size_t output, const Gaussian& said) {
  graph_.set_prior(at(layers_.back().sum, output), output_prior_[output] * said);
}

}  // namespace postrider::internal

namespace postrider::network {
using namespace internal;

std::string to_graphviz(const Network& network) {
  constexpr double kAnyNoise = 1;  // it is not drawn
  NetworkGraph graph(network.options(), kAnyNoise);
  for (std::size_t w = 0; w < network.weight_count(); ++w) graph.set_weight(w, network.weight(w));
  return graph.graph().to_graphviz();
}

}  // namespace postrider::network
