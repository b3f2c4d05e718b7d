// The naive network with the options and the beliefs of a Network.
#pragma once

#include "network/naive_network.h"
#include "postrider/network/network.h"

namespace postrider::network {

inline naive::Network same_network(const Network& network) {
  naive::Network out;
  out.inputs = network.options().inputs;
  out.conditioned = network.options().rule == graph::Rule::conditioned;
  for (const Layer& layer : network.options().layers) {
    naive::Real slope = layer.slope;
    if (layer.activation == Activation::identity) slope = 1;
    if (layer.activation == Activation::relu) slope = 0;
    out.layers.push_back(
        {layer.units, layer.bias, slope,
         layer.activation_prior_variance ? 1 / *layer.activation_prior_variance : 0});
  }
  for (std::size_t i = 0; i < network.weight_count(); ++i)
    out.weights.push_back({network.weight(i).tau(), network.weight(i).rho()});
  return out;
}

// Row `row` of inputs as messages: a missing one is N(0, 1).
inline std::vector<naive::Moments> messages_of(const Inputs& rows, std::size_t row,
                                               std::size_t inputs) {
  std::vector<naive::Moments> out;
  for (std::size_t i = row * inputs; i < (row + 1) * inputs; ++i) {
    if (std::isnan(rows.values()[i]))
      out.push_back({0, 1});
    else
      out.push_back({rows.values()[i], rows.variances().empty() ? 0 : rows.variances()[i]});
  }
  return out;
}

}  // namespace postrider::network
