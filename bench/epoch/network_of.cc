#include "bench/epoch/network_of.h"

namespace postrider::bench {

NetworkOptions network_of(const Case& of) {
  NetworkOptions options;
  options.inputs = of.widths.front();
  for (std::size_t l = 0; l < of.layers(); ++l) {
    const bool is_last = l + 1 == of.layers();
    Layer layer;
    layer.units = of.widths[l + 1];
    layer.activation = is_last ? Activation::identity : Activation::leaky_relu;
    if (!is_last) layer.slope = static_cast<double>(of.slopes[l]);
    layer.bias = of.bias;
    options.layers.push_back(layer);
  }
  return options;
}

}  // namespace postrider::bench
