#include "estimator/network_file.h"

#include <span>
#include <utility>
#include <variant>

#include "base/number_text.h"
#include "estimator/description.h"
#include "network/network_state.h"
#include "postrider/error.h"

namespace postrider::internal {
namespace {

std::string layer_key(std::size_t layer, const char* name) {
  std::string out = "layers.";
  out += std::to_string(layer);
  out += '.';
  out += name;
  return out;
}

std::string array_key(std::size_t member, std::size_t layer, const char* name) {
  return member_key(member, layer_key(layer, name).c_str());
}

// The file's arrays in the order that visit() sees them, for writing and reading alike.
template <class T, class Visit>
void for_each_layer(const NetworkArrays<T>& arrays, Visit&& visit) {
  std::size_t first = 0;
  const std::vector<SweepLayer>& layers = arrays.engine.layers();
  for (std::size_t l = 0; l < layers.size(); ++l) {
    visit(l, std::vector<std::size_t>{layers[l].units, layers[l].fan_in()},
          std::span(arrays.positions).subspan(first, layers[l].weights()));
    first += layers[l].weights();
  }
}

template <class T>
void read_typed(SafetensorsReader& file, std::size_t member, NetworkArrays<T>& arrays) {
  for_each_layer(arrays, [&](std::size_t l, const auto& shape, auto positions) {
    const auto take = [&](const char* name, AlignedVector<T>& to) {
      std::vector<T> values(positions.size());
      file.read<T>(array_key(member, l, name), shape, values);
      for (std::size_t k = 0; k < values.size(); ++k) to[positions[k]] = values[k];
    };
    take("tau", arrays.belief.tau);
    take("rho", arrays.belief.rho);
    take("prior.tau", arrays.prior.tau);
    take("prior.rho", arrays.prior.rho);
  });
}

}  // namespace

std::string member_key(std::size_t member, const char* name) {
  return "members." + std::to_string(member) + "." + name;
}

void describe_network(const network::NetworkOptions& options,
                      std::map<std::string, std::string>& out) {
  out["inputs"] = std::to_string(options.inputs);
  out["layers"] = std::to_string(options.layers.size());
  out["rule"] = to_string(options.rule);
  out["precision"] = options.precision == network::Precision::float32 ? "float32" : "float64";
  out["seed"] = std::to_string(options.seed);
  if (options.active_inputs > 0) out["active_inputs"] = std::to_string(options.active_inputs);
  for (std::size_t l = 0; l < options.layers.size(); ++l) {
    const network::Layer& layer = options.layers[l];
    out[layer_key(l, "units")] = std::to_string(layer.units);
    out[layer_key(l, "activation")] = to_string(layer.activation);
    out[layer_key(l, "slope")] = shortest_text(layer.slope);
    out[layer_key(l, "bias")] = layer.bias ? "yes" : "no";
    if (layer.activation_prior_variance)
      out[layer_key(l, "activation_prior_variance")] =
          shortest_text(*layer.activation_prior_variance);
  }
}

network::NetworkOptions read_network_options(const Description& from) {
  network::NetworkOptions out;
  out.inputs = from.read<std::size_t>("inputs");
  out.rule =
      from.choose<Rule>("rule", {{"direct", Rule::direct}, {"conditioned", Rule::conditioned}});
  out.precision = from.choose<network::Precision>(
      "precision",
      {{"float32", network::Precision::float32}, {"float64", network::Precision::float64}});
  out.seed = from.read<std::uint64_t>("seed");
  if (from.has("active_inputs")) out.active_inputs = from.read<std::size_t>("active_inputs");
  const auto layers = from.read<std::size_t>("layers");
  for (std::size_t l = 0; l < layers; ++l) {
    network::Layer layer;
    layer.units = from.read<std::size_t>(layer_key(l, "units"));
    layer.activation = from.choose<network::Activation>(
        layer_key(l, "activation"), {{"leaky_relu", network::Activation::leaky_relu},
                                     {"relu", network::Activation::relu},
                                     {"identity", network::Activation::identity}});
    layer.slope = from.read<double>(layer_key(l, "slope"));
    layer.bias = from.choose<bool>(layer_key(l, "bias"), {{"yes", true}, {"no", false}});
    if (from.has(layer_key(l, "activation_prior_variance")))
      layer.activation_prior_variance =
          from.read<double>(layer_key(l, "activation_prior_variance"));
    out.layers.push_back(layer);
  }
  return out;
}

void expect_shapes(const SafetensorsReader& file, const Description& description,
                   std::size_t members, const network::NetworkOptions& options) {
  try {
    options.validate();
  } catch (const InvalidArgument& error) {
    description.fail(error.what());
  }
  // One look at the last is enough: the others are read before it.
  if (members == 0) description.fail("it has no members");
  std::size_t inputs = options.inputs;
  for (std::size_t l = 0; l < options.layers.size(); ++l) {
    const network::Layer& layer = options.layers[l];
    const std::size_t fan_in = inputs + (layer.bias ? 1 : 0);
    const std::string key = array_key(members - 1, l, "tau");
    if (file.shape(key) != std::vector<std::size_t>{layer.units, fan_in})
      description.fail("the array " + key + " has another shape than it says");
    inputs = layer.units;
  }
}

template <class T>
void ModelArrays::add_typed(std::size_t member, const NetworkArrays<T>& arrays) {
  for_each_layer(arrays, [&](std::size_t l, const auto& shape, auto positions) {
    const auto add_ordered = [&](const char* name, const AlignedVector<T>& from) {
      std::vector<T> values;
      for (const std::size_t at : positions) values.push_back(from[at]);
      const std::span<const std::byte> bytes = std::as_bytes(std::span(values));
      const auto& kept = kept_.emplace_back(bytes.begin(), bytes.end());
      tensors_.push_back({array_key(member, l, name), element_type<T>(), shape, kept});
    };
    add_ordered("tau", arrays.belief.tau);
    add_ordered("rho", arrays.belief.rho);
    add_ordered("prior.tau", arrays.prior.tau);
    add_ordered("prior.rho", arrays.prior.rho);
  });
}

void ModelArrays::add(std::size_t member, const network::Network& network) {
  std::visit([&](const auto& arrays) { add_typed(member, arrays); }, inside_of(network).arrays);
}

void ModelArrays::add(const std::string& name, const std::vector<double>& values) {
  tensors_.push_back(view_of<double>(name, {values.size()}, values));
}

void ModelArrays::add(const std::string& name, const std::vector<std::uint32_t>& values) {
  tensors_.push_back(view_of<std::uint32_t>(name, {values.size()}, values));
}

void read_network(SafetensorsReader& file, std::size_t member, network::Network& to) {
  std::visit([&](auto& arrays) { read_typed(file, member, arrays); }, inside_of(to).arrays);
}

}  // namespace postrider::internal
