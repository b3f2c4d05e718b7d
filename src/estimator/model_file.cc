#include "estimator/model_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>

#include "data/safetensors.h"
#include "model/network_state.h"
#include "postrider/error.h"

namespace postrider {
namespace {

constexpr const char* kFormat = "postrider model 1";
constexpr std::string_view kNote = "notes.";

std::string number(double value) {
  std::array<char, 32> text{};
  const auto [end, trouble] = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end};
}

std::string layer_key(std::size_t layer, const char* name) {
  std::string out = "layers.";
  out += std::to_string(layer);
  out += '.';
  out += name;
  return out;
}

const char* name_of(ModelKind kind) {
  switch (kind) {
    case ModelKind::classifier:
      return "classifier";
    case ModelKind::varying_noise:
      return "regressor with varying noise";
    case ModelKind::regressor:
      break;
  }
  return "regressor";
}

std::map<std::string, std::string> describe(ModelKind kind, const NetworkOptions& options) {
  std::map<std::string, std::string> out{
      {"format", kFormat},
      {"kind", name_of(kind)},
      {"inputs", std::to_string(options.inputs)},
      {"layers", std::to_string(options.layers.size())},
      {"rule", std::string(to_string(options.rule))},
      {"precision", options.precision == Precision::float32 ? "float32" : "float64"},
      {"seed", std::to_string(options.seed)}};
  for (std::size_t l = 0; l < options.layers.size(); ++l) {
    const Layer& layer = options.layers[l];
    out[layer_key(l, "units")] = std::to_string(layer.units);
    out[layer_key(l, "activation")] = to_string(layer.activation);
    out[layer_key(l, "slope")] = number(layer.slope);
    out[layer_key(l, "bias")] = layer.bias ? "yes" : "no";
    if (layer.activation_prior_variance)
      out[layer_key(l, "activation_prior_variance")] = number(*layer.activation_prior_variance);
  }
  return out;
}

// Metadata that must be there and must make sense.
class Description {
 public:
  Description(const std::string& path, const std::map<std::string, std::string>& values)
      : path_(path), values_(values) {}

  bool has(const std::string& key) const { return values_.contains(key); }
  const std::string& text(const std::string& key) const {
    const auto found = values_.find(key);
    if (found == values_.end()) fail("it does not say \"" + key + "\"");
    return found->second;
  }
  template <class N>
  N read(const std::string& key) const {
    const std::string& value = text(key);
    N out{};
    const auto [end, trouble] = std::from_chars(value.data(), value.data() + value.size(), out);
    if (trouble != std::errc() || end != value.data() + value.size())
      fail("\"" + key + "\" is not a number");
    return out;
  }
  template <class E>
  E choose(const std::string& key, std::initializer_list<std::pair<const char*, E>> known) const {
    for (const auto& [name, value] : known)
      if (text(key) == name) return value;
    fail("\"" + key + "\" has the unknown value \"" + text(key) + "\"");
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw Error("cannot read the model " + path_ + ": " + what);
  }

 private:
  const std::string& path_;
  const std::map<std::string, std::string>& values_;
};

ModelKind read_kind(const Description& from, const std::vector<ModelKind>& accepted) {
  if (from.text("format") != kFormat) from.fail("it is of another version");
  const auto pair = [](ModelKind kind) { return std::pair(name_of(kind), kind); };
  const auto found = from.choose<ModelKind>(
      "kind",
      {pair(ModelKind::regressor), pair(ModelKind::classifier), pair(ModelKind::varying_noise)});
  if (std::ranges::find(accepted, found) == accepted.end())
    from.fail(std::string("it is a ") + name_of(found) + ", and a " + name_of(accepted.front()) +
              " was asked for");
  return found;
}

// Of targets and of noise variances.
struct TargetSizes {
  std::size_t scaled, noises;
};
TargetSizes target_sizes(const Description& from, ModelKind kind, std::size_t outputs) {
  switch (kind) {
    case ModelKind::classifier:
      return {0, 1};
    case ModelKind::varying_noise:
      if (outputs % 2 != 0) from.fail("its outputs are not two per target");
      return {outputs / 2, 1};
    case ModelKind::regressor:
      break;
  }
  return {outputs, outputs};
}

NetworkOptions read_options(const Description& from) {
  NetworkOptions out;
  out.inputs = from.read<std::size_t>("inputs");
  out.rule =
      from.choose<Rule>("rule", {{"direct", Rule::direct}, {"conditioned", Rule::conditioned}});
  out.precision = from.choose<Precision>(
      "precision", {{"float32", Precision::float32}, {"float64", Precision::float64}});
  out.seed = from.read<std::uint64_t>("seed");
  const auto layers = from.read<std::size_t>("layers");
  for (std::size_t l = 0; l < layers; ++l) {
    Layer layer;
    layer.units = from.read<std::size_t>(layer_key(l, "units"));
    layer.activation =
        from.choose<Activation>(layer_key(l, "activation"), {{"leaky_relu", Activation::leaky_relu},
                                                             {"relu", Activation::relu},
                                                             {"identity", Activation::identity}});
    layer.slope = from.read<double>(layer_key(l, "slope"));
    layer.bias = from.choose<bool>(layer_key(l, "bias"), {{"yes", true}, {"no", false}});
    if (from.has(layer_key(l, "activation_prior_variance")))
      layer.activation_prior_variance =
          from.read<double>(layer_key(l, "activation_prior_variance"));
    out.layers.push_back(layer);
  }
  return out;
}

// The file's arrays must have the shape that its description says, before memory is taken for it.
void expect_shapes(const SafetensorsReader& file, const Description& description,
                   const NetworkOptions& options) {
  try {
    options.validate();
  } catch (const InvalidArgument& error) {
    description.fail(error.what());
  }
  std::size_t inputs = options.inputs;
  for (std::size_t l = 0; l < options.layers.size(); ++l) {
    const Layer& layer = options.layers[l];
    const std::size_t fan_in = inputs + (layer.bias ? 1 : 0);
    const std::string key = layer_key(l, "tau");
    if (file.shape(key) != std::vector<std::size_t>{layer.units, fan_in})
      description.fail("the array " + key + " has another shape than it says");
    inputs = layer.units;
  }
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
void write_typed(const std::string& path, const FittedModel& model,
                 const std::map<std::string, std::string>& notes, const NetworkArrays<T>& arrays) {
  std::vector<std::vector<T>> values;
  std::vector<TensorView> tensors;
  values.reserve(4 * arrays.engine.layers().size());
  for_each_layer(arrays, [&](std::size_t l, const auto& shape, auto positions) {
    const auto add = [&](const char* name, const AlignedVector<T>& from) {
      std::vector<T>& to = values.emplace_back();
      for (const std::size_t at : positions) to.push_back(from[at]);
      tensors.push_back(view_of<T>(layer_key(l, name), shape, to));
    };
    add("tau", arrays.belief.tau);
    add("rho", arrays.belief.rho);
    add("prior.tau", arrays.prior.tau);
    add("prior.rho", arrays.prior.rho);
  });
  const auto add = [&](const char* name, const std::vector<double>& from) {
    tensors.push_back(view_of<double>(name, {from.size()}, from));
  };
  add("inputs.mean", model.inputs.mean);
  add("inputs.deviation", model.inputs.deviation);
  add("targets.mean", model.targets.mean);
  add("targets.deviation", model.targets.deviation);
  add("noise_variance", model.noise_variance);
  std::map<std::string, std::string> metadata = describe(model.kind, model.network.options());
  for (const auto& [key, text] : notes) metadata[std::string(kNote) + key] = text;
  write_safetensors(path, tensors, metadata);
}

template <class T>
void read_typed(SafetensorsReader& file, NetworkArrays<T>& arrays) {
  for_each_layer(arrays, [&](std::size_t l, const auto& shape, auto positions) {
    const auto take = [&](const char* name, AlignedVector<T>& to) {
      std::vector<T> values(positions.size());
      file.read<T>(layer_key(l, name), shape, values);
      for (std::size_t k = 0; k < values.size(); ++k) to[positions[k]] = values[k];
    };
    take("tau", arrays.belief.tau);
    take("rho", arrays.belief.rho);
    take("prior.tau", arrays.prior.tau);
    take("prior.rho", arrays.prior.rho);
  });
}

// In the padding, too.
template <class T>
bool all_proper(const WeightMessages<T>& messages) {
  return std::ranges::all_of(messages.tau, [](T tau) { return std::isfinite(tau); }) &&
         std::ranges::all_of(messages.rho, [](T rho) { return rho > 0 && std::isfinite(rho); });
}

}  // namespace

void write_model(const std::string& path, const FittedModel& model,
                 const std::map<std::string, std::string>& notes) {
  std::visit([&](const auto& arrays) { write_typed(path, model, notes, arrays); },
             model.network.state().arrays);
}

ModelKind read_model_kind(const std::string& path) {
  const SafetensorsReader file(path);
  return read_kind({path, file.metadata()},
                   {ModelKind::regressor, ModelKind::classifier, ModelKind::varying_noise});
}

FittedModel read_model(const std::string& path, const std::vector<ModelKind>& kinds) {
  SafetensorsReader file(path);
  const Description description(path, file.metadata());
  const ModelKind kind = read_kind(description, kinds);
  const NetworkOptions options = read_options(description);
  expect_shapes(file, description, options);
  FittedModel out{kind, Network(options), {}, {}, {}};
  std::visit([&](auto& arrays) { read_typed(file, arrays); }, out.network.state().arrays);
  const auto take = [&](const char* name, std::size_t size) {
    std::vector<double> values(size);
    file.read<double>(name, {size}, values);
    return values;
  };
  const std::size_t inputs = out.network.options().inputs,
                    outputs = out.network.options().outputs();
  const TargetSizes sizes = target_sizes(description, kind, outputs);
  out.inputs = {take("inputs.mean", inputs), take("inputs.deviation", inputs)};
  out.targets = {take("targets.mean", sizes.scaled), take("targets.deviation", sizes.scaled)};
  out.noise_variance = take("noise_variance", sizes.noises);
  // Not all bytes are a model: a belief without a positive precision would become a NaN later.
  std::visit(
      [&](const auto& arrays) {
        if (!all_proper(arrays.belief) || !all_proper(arrays.prior))
          description.fail("a weight's belief is not proper");
      },
      out.network.state().arrays);
  for (const std::vector<double>* finite : {&out.inputs.mean, &out.targets.mean})
    if (!std::ranges::all_of(*finite, [](double x) { return std::isfinite(x); }))
      description.fail("a mean is not a number");
  for (const std::vector<double>* positive :
       {&out.inputs.deviation, &out.targets.deviation, &out.noise_variance})
    if (!std::ranges::all_of(*positive, [](double x) { return x > 0 && x < 1e300; }))
      description.fail("a deviation or variance is not positive");
  for (const auto& [key, text] : file.metadata())
    if (key.starts_with(kNote)) out.notes[key.substr(kNote.size())] = text;
  return out;
}

}  // namespace postrider
