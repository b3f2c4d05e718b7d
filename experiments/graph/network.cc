#include "network.h"

#include <memory>

namespace postrider::experiments {
namespace {

Variable at(Variable first, std::size_t i) { return {first.index + static_cast<std::uint32_t>(i)}; }
FactorNode at(FactorNode first, std::size_t i) {
  return {first.index + static_cast<std::uint32_t>(i)};
}

std::shared_ptr<const Factor> sum_of(std::size_t count) {
  return make_factor("linear", {{"weights", std::vector<double>(count, 1.0)}});
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

void prefer(FactorGraph& graph, FactorNode plate, const Factor& factor, Rule rule) {
  for (std::size_t edge = 0; edge < factor.info().edges.size(); ++edge)
    graph.set_rule(plate, edge, factor.info().rule_or_default(edge, rule));
}

}  // namespace

Network::Network(const NetworkShape& shape, Rule rule)
    : input_(graph_.add_variables(shape.inputs())), output_{}, likelihoods_{} {
  Variable below = input_;
  for (std::size_t l = 1; l < shape.widths.size(); ++l) {
    const std::size_t inputs = shape.widths[l - 1], units = shape.widths[l];
    const bool is_last = l + 1 == shape.widths.size();
    Layer layer{};
    layer.inputs = inputs;
    layer.units = units;
    layer.weight = graph_.add_variables(units * inputs);
    layer.product = graph_.add_variables(units * inputs);
    layer.sum = graph_.add_variables(units);
    // The inputs are known and direct rules do not look at the activation: no need for copies.
    layer.has_copies = l > 1 && rule == Rule::conditioned;
    const Variable copy = layer.has_copies ? graph_.add_variables(units * inputs) : below;
    layer.group = group_size(inputs);
    layer.groups = layer.group == inputs ? 0 : inputs / layer.group;
    const Variable part = graph_.add_variables(units * layer.groups);
    std::vector<Variable> copies, products, parts, sums, rectifiers;
    for (std::size_t i = 0; i < units; ++i) {
      sums.push_back(at(layer.sum, i));
      for (std::size_t g = 0; g < layer.groups; ++g) sums.push_back(at(part, i * layer.groups + g));
      for (std::size_t j = 0; j < inputs; ++j) {
        const std::size_t k = i * inputs + j;
        const Variable operand = layer.has_copies ? at(copy, k) : at(below, j);
        if (layer.has_copies) copies.insert(copies.end(), {operand, at(below, j)});
        products.insert(products.end(), {at(layer.product, k), at(layer.weight, k), operand});
        if (layer.groups > 0 && j % layer.group == 0) parts.push_back(at(part, k / layer.group));
        (layer.groups > 0 ? parts : sums).push_back(at(layer.product, k));
        weights_.push_back(at(layer.weight, k));
      }
    }
    if (layer.has_copies) layer.copies = graph_.add_plate(sum_of(1), copies);
    const std::shared_ptr<const Factor> product = make_factor("product");
    layer.products = graph_.add_plate(product, products);
    prefer(graph_, layer.products, *product, rule);
    if (layer.groups > 0) layer.parts = graph_.add_plate(sum_of(layer.group), parts);
    layer.sums = graph_.add_plate(sum_of(sums.size() / units - 1), sums);
    if (!is_last) {
      layer.activation = graph_.add_variables(units);
      for (std::size_t i = 0; i < units; ++i)
        rectifiers.insert(rectifiers.end(), {at(layer.activation, i), at(layer.sum, i)});
      const std::shared_ptr<const Factor> relu =
          make_factor("leaky_relu", {{"slope", {shape.slopes[l - 1]}}});
      layer.rectifiers = graph_.add_plate(relu, rectifiers);
      prefer(graph_, layer.rectifiers, *relu, rule);
      below = layer.activation;
    }
    layers_.push_back(layer);
  }
  output_ = graph_.add_variables(shape.outputs());
  std::vector<Variable> seen;
  for (std::size_t i = 0; i < shape.outputs(); ++i)
    seen.insert(seen.end(), {at(output_, i), at(layers_.back().sum, i)});
  likelihoods_ = graph_.add_plate(
      make_factor("gaussian_likelihood", {{"variance", {shape.noise_variance}}}), seen);
}

void Network::set_weight(std::size_t index, const Gaussian& belief) {
  graph_.set_prior(weights_[index], belief);
}

Gaussian Network::weight(std::size_t index) const { return graph_.marginal(weights_[index]); }

void Network::send_all(FactorNode first, std::size_t count, std::size_t edge) {
  for (std::size_t i = 0; i < count; ++i) graph_.send(at(first, i), edge, record_);
}

void Network::forward(std::span<const double> inputs) {
  graph_.reset();
  for (std::size_t j = 0; j < inputs.size(); ++j) graph_.observe(at(input_, j), inputs[j]);
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    const std::size_t count = layer.units * layer.inputs;
    if (layer.has_copies) send_all(layer.copies, count, 0);
    send_all(layer.products, count, 0);
    send_all(layer.parts, layer.units * layer.groups, 0);
    send_all(layer.sums, layer.units, 0);
    if (l + 1 < layers_.size()) send_all(layer.rectifiers, layer.units, 0);
  }
}

void Network::backward(std::span<const double> targets) {
  for (std::size_t i = 0; i < targets.size(); ++i) graph_.observe(at(output_, i), targets[i]);
  send_all(likelihoods_, targets.size(), 1);
  for (std::size_t l = layers_.size(); l-- > 0;) {
    const Layer& layer = layers_[l];
    const std::size_t count = layer.units * layer.inputs;
    const std::size_t terms = layer.groups > 0 ? layer.groups : layer.inputs;
    for (std::size_t j = 1; j <= terms; ++j) send_all(layer.sums, layer.units, j);
    for (std::size_t j = 1; j <= layer.group; ++j)
      send_all(layer.parts, layer.units * layer.groups, j);
    send_all(layer.products, count, 1);
    if (l == 0) break;
    send_all(layer.products, count, 2);
    if (layer.has_copies) send_all(layer.copies, count, 1);
    send_all(layers_[l - 1].rectifiers, layers_[l - 1].units, 1);
  }
}

void Network::learn(std::span<const double> inputs, std::span<const double> targets) {
  forward(inputs);
  backward(targets);
  for (const Variable weight : weights_) graph_.absorb(weight);
}

std::vector<Gaussian> Network::predict(std::span<const double> inputs) {
  forward(inputs);
  std::vector<Gaussian> out;
  const Layer& last = layers_.back();
  for (std::size_t i = 0; i < last.units; ++i) out.push_back(graph_.marginal(at(last.sum, i)));
  return out;
}

}  // namespace postrider::experiments
