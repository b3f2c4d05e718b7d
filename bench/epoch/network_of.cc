#include "bench/epoch/network_of.h"

namespace postrider::bench {

network::NetworkOptions network_of(const Case& of) {
  network::NetworkOptions options;
  options.inputs = of.widths.front();
  for (std::size_t l = 0; l < of.layers(); ++l) {
    const bool is_last = l + 1 == of.layers();
    network::Layer layer;
    layer.units = of.widths[l + 1];
    layer.activation = is_last ? network::Activation::identity : network::Activation::leaky_relu;
    if (!is_last) layer.slope = static_cast<double>(of.slopes[l]);
    layer.bias = of.bias;
    options.layers.push_back(layer);
  }
  return options;
}

}  // namespace postrider::bench
