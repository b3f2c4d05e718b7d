#include "postrider/network/network.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "base/random.h"
#include "base/workers.h"
#include "network/network_state.h"
#include "postrider/error.h"

namespace postrider::internal {
namespace {

constexpr double kPriorVariance = 2, kMeanVariance = 1;  // times 1/fan-in
constexpr double kMissingVariance = 1;
constexpr std::size_t kRowsPerTask = 256;

std::string field_of(std::size_t layer, const char* name) {
  std::string out = "layers[";
  out += std::to_string(layer);
  out += "].";
  out += name;
  return out;
}

void expect_positive(std::size_t layer, const char* name, const std::optional<double>& value,
                     bool may_be_zero = false) {
  if (!value) return;
  const bool fits = may_be_zero ? *value >= 0 : *value > 0;
  if (!(fits && std::isfinite(*value)))
    reject(field_of(layer, name), *value,
           may_be_zero ? "must be a number of at least 0" : "must be a number above 0");
}

// Weights of all layers in their public order, with the layer they belong to.
template <class Visit>
void for_each_weight(const std::vector<SweepLayer>& layers, Visit&& visit) {
  std::size_t index = 0;
  for (std::size_t l = 0; l < layers.size(); ++l)
    for (std::size_t k = 0; k < layers[l].weights(); ++k) visit(index++, l);
}

// Whether a value is finite as a T, too.
template <class T>
bool fits(double value) {
  return std::abs(value) <= static_cast<double>(std::numeric_limits<T>::max());
}

template <class T>
Gaussian gaussian_at(const WeightMessages<T>& messages, std::size_t position) {
  return Gaussian::from_natural(static_cast<double>(messages.tau[position]),
                                static_cast<double>(messages.rho[position]));
}

}  // namespace
}  // namespace postrider::internal

namespace postrider::network {
using namespace internal;

NetworkOptions NetworkOptions::dense(std::size_t inputs, const std::vector<std::size_t>& hidden,
                                     std::size_t outputs) {
  NetworkOptions out;
  out.inputs = inputs;
  for (const std::size_t units : hidden) out.layers.push_back({.units = units});
  out.layers.push_back({.units = outputs, .activation = Activation::identity});
  return out;
}

std::size_t NetworkOptions::weights() const {
  std::size_t count = 0;
  for (const SweepLayer& layer : sweep_layers(*this)) count += layer.weights();
  return count;
}

void NetworkOptions::validate() const {
  if (inputs == 0) reject("inputs", inputs, "must be at least 1");
  if (layers.empty()) reject("layers", layers.size(), "must hold at least the output layer");
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const Layer& layer = layers[l];
    if (layer.units == 0) reject(field_of(l, "units"), layer.units, "must be at least 1");
    if (layer.activation == Activation::leaky_relu && !(layer.slope >= 0 && layer.slope <= 1))
      reject(field_of(l, "slope"), layer.slope, "must lie between 0 and 1");
    if (rule == graph::Rule::direct && slope_of(layer) == 0)
      reject(field_of(l, "slope"), 0.0,
             "must be above 0 with the direct rule, whose message does not exist for a ReLU; "
             "choose Rule::conditioned or a leaky ReLU");
    expect_positive(l, "prior_variance", layer.prior_variance);
    expect_positive(l, "mean_variance", layer.mean_variance, true);
    expect_positive(l, "activation_prior_variance", layer.activation_prior_variance);
  }
  if (layers.back().activation != Activation::identity)
    reject(field_of(layers.size() - 1, "activation"), to_string(layers.back().activation),
           "must be identity: the last layer holds the outputs");
  if (rule != graph::Rule::direct && rule != graph::Rule::conditioned)
    reject("rule", to_string(rule), "must be direct or conditioned");
}

std::string_view to_string(Activation activation) {
  switch (activation) {
    case Activation::leaky_relu:
      return "leaky_relu";
    case Activation::relu:
      return "relu";
    case Activation::identity:
      break;
  }
  return "identity";
}

}  // namespace postrider::network

namespace postrider::internal {

double slope_of(const network::Layer& layer) {
  switch (layer.activation) {
    case network::Activation::identity:
      return 1;
    case network::Activation::relu:
      return 0;
    case network::Activation::leaky_relu:
      break;
  }
  return layer.slope;
}

std::vector<SweepLayer> sweep_layers(const network::NetworkOptions& options) {
  std::vector<SweepLayer> out;
  std::size_t inputs = options.inputs;
  for (const network::Layer& layer : options.layers) {
    const double prior = layer.activation_prior_variance ? 1 / *layer.activation_prior_variance : 0;
    out.push_back({inputs, layer.units, layer.bias, slope_of(layer), prior});
    inputs = layer.units;
  }
  if (!out.empty()) out.front().active_inputs = options.active_inputs;
  return out;
}

template <class T>
NetworkArrays<T>::NetworkArrays(const network::NetworkOptions& options)
    : engine(sweep_layers(options), options.rule),
      positions(engine.layout().positions(engine.layers())),
      prior(engine.beliefs()) {
  RandomStream random(options.seed, 0);
  for_each_weight(engine.layers(), [&](std::size_t index, std::size_t l) {
    const auto fan_in = static_cast<double>(engine.layers()[l].fan_in());
    const network::Layer& layer = options.layers[l];
    const double variance = layer.prior_variance.value_or(kPriorVariance / fan_in);
    const double mean =
        std::sqrt(layer.mean_variance.value_or(kMeanVariance / fan_in)) * random.normal();
    prior.tau[positions[index]] = static_cast<T>(mean / variance);
    prior.rho[positions[index]] = static_cast<T>(1 / variance);
  });
  belief = prior;
}

namespace {

void expect_sizes(const Inputs& rows, std::size_t input_count) {
  const std::size_t count = rows.values().size();
  if (rows.columns() != input_count || !rows.has_whole_rows())
    reject("inputs", rows.is_sparse() ? rows.columns() : count,
           "must be a whole number of rows of the network's inputs");
  if (!rows.variances().empty() && rows.variances().size() != count)
    reject("variances", rows.variances().size(), "must be as many as the inputs, or none");
  if (!rows.is_sparse()) return;
  if (rows.places().size() != count)
    reject("places", rows.places().size(), "must be as many as the values");
  if (rows.begins().empty() || rows.begins().back() > count ||
      !std::ranges::is_sorted(rows.begins()))
    reject("begins", rows.begins().empty() ? 0 : rows.begins().back(),
           "must rise, and end with at most the number of values");
}

// One value of a row, in the engine's type.
template <class T>
void add_input(const Inputs& rows, std::size_t at, std::size_t column, StoredInputs<T>& to) {
  const double x = rows.values()[at];
  if (!fits<T>(x) && !std::isnan(x))
    reject("inputs", x, "must be finite, or NaN for a missing value");
  const double variance = rows.variances().empty() ? 0 : rows.variances()[at];
  if (!(variance >= 0 && fits<T>(variance)))
    reject("variances", variance, "must be numbers of at least 0");
  if (std::isnan(x))
    to.add(column, T{0}, static_cast<T>(kMissingVariance));
  else
    to.add(column, static_cast<T>(x), static_cast<T>(variance));
}

}  // namespace

template <class T>
StoredInputs<T> prepared_rows(const Inputs& given, std::size_t input_count) {
  const Inputs rows = given.of_columns(input_count);
  expect_sizes(rows, input_count);
  StoredInputs<T> out;
  if (!rows.is_sparse()) {
    for (std::size_t at = 0; at < rows.values().size(); ++at) {
      add_input(rows, at, at % input_count, out);
      if ((at + 1) % input_count == 0) out.end_row();
    }
  }
  for (std::size_t row = 0; rows.is_sparse() && row < rows.rows(); ++row) {
    for (std::size_t at = rows.begins()[row]; at < rows.begins()[row + 1]; ++at) {
      const std::uint32_t column = rows.places()[at];
      if (column >= input_count || (at > rows.begins()[row] && column <= rows.places()[at - 1]))
        reject("places", column, "must rise within a row, and be below the number of inputs");
      add_input(rows, at, column, out);
    }
    out.end_row();
  }
  out.shrink();
  return out;
}

template struct NetworkArrays<float>;
template struct NetworkArrays<double>;
template StoredInputs<float> prepared_rows(const Inputs&, std::size_t);
template StoredInputs<double> prepared_rows(const Inputs&, std::size_t);

namespace {
std::variant<NetworkArrays<float>, NetworkArrays<double>> make_arrays(
    const network::NetworkOptions& options) {
  options.validate();
  if (options.precision == network::Precision::float32) return NetworkArrays<float>(options);
  return NetworkArrays<double>(options);
}
}  // namespace

NetworkState::NetworkState(const network::NetworkOptions& network_options)
    : options(network_options), arrays(make_arrays(network_options)) {}

}  // namespace postrider::internal

namespace postrider::network {

Network::Network(const NetworkOptions& options) : state_(std::make_unique<NetworkState>(options)) {}
Network::~Network() = default;
Network::Network(const Network& other) : state_(std::make_unique<NetworkState>(*other.state_)) {}
Network& Network::operator=(const Network& other) {
  *state_ = *other.state_;
  return *this;
}
Network::Network(Network&&) noexcept = default;
Network& Network::operator=(Network&&) noexcept = default;

const NetworkOptions& Network::options() const { return state_->options; }

std::size_t Network::weight_count() const {
  return std::visit([](const auto& arrays) { return arrays.positions.size(); }, state_->arrays);
}

namespace {
void expect_weight(std::size_t index, std::size_t count) {
  if (index >= count) {
    std::string accepted = "must be below the number of weights, ";
    accepted += std::to_string(count);
    reject("index", index, accepted);
  }
}
}  // namespace

Gaussian Network::weight(std::size_t index) const {
  expect_weight(index, weight_count());
  return std::visit(
      [&](const auto& arrays) { return gaussian_at(arrays.belief, arrays.positions[index]); },
      state_->arrays);
}

Gaussian Network::prior(std::size_t index) const {
  expect_weight(index, weight_count());
  return std::visit(
      [&](const auto& arrays) { return gaussian_at(arrays.prior, arrays.positions[index]); },
      state_->arrays);
}

void Network::set_prior(std::size_t index, const Gaussian& prior) {
  expect_weight(index, weight_count());
  if (!prior.is_proper()) reject("prior", to_string(prior), "must be proper");
  std::visit(
      [&]<class T>(NetworkArrays<T>& arrays) {
        if (!fits<T>(prior.tau()) || !fits<T>(prior.rho()) || static_cast<T>(prior.rho()) == 0)
          reject("prior", to_string(prior), "must be proper in the network's precision");
        const std::size_t at = arrays.positions[index];
        arrays.prior.tau[at] = arrays.belief.tau[at] = static_cast<T>(prior.tau());
        arrays.prior.rho[at] = arrays.belief.rho[at] = static_cast<T>(prior.rho());
      },
      state_->arrays);
}

std::variant<Network::LayerBeliefs<float>, Network::LayerBeliefs<double>> Network::layer_beliefs(
    std::size_t layer) const {
  const std::size_t count = options().layers.size();
  if (layer >= count) reject("layer", layer, "must be below " + std::to_string(count));
  return std::visit(
      [&]<class T>(const NetworkArrays<T>& arrays)
          -> std::variant<Network::LayerBeliefs<float>, Network::LayerBeliefs<double>> {
        const LayerLayout& layout = arrays.engine.layout().layers()[layer];
        const SweepLayer& shape = arrays.engine.layers()[layer];
        return Network::LayerBeliefs<T>{arrays.belief.tau.data() + layout.offset,
                                        arrays.belief.rho.data() + layout.offset,
                                        shape.units,
                                        shape.fan_in(),
                                        layout.units_across ? 1 : layout.stride,
                                        layout.units_across ? layout.stride : 1};
      },
      state_->arrays);
}

}  // namespace postrider::network

namespace postrider::internal {

template <class T>
void expect_finite_predictions(std::span<const T> mean, std::span<const T> variance) {
  const auto is_number = [](T value) { return std::isfinite(value); };
  if (std::ranges::all_of(mean, is_number) && std::ranges::all_of(variance, is_number)) return;
  throw Error(
      "a prediction is not a finite number: the network's beliefs, or the inputs, are too large");
}
template void expect_finite_predictions(std::span<const float>, std::span<const float>);
template void expect_finite_predictions(std::span<const double>, std::span<const double>);

network::Network::OutputMoments predict(const NetworkState& network, const Inputs& rows,
                                        Workers& workers) {
  const std::size_t inputs = network.options.inputs, outputs = network.options.outputs();
  return std::visit(
      [&]<class T>(const NetworkArrays<T>& arrays) {
        const StoredInputs<T> prepared = prepared_rows<T>(rows, inputs);
        const ExamplesView<T> examples{prepared.view(), {}, outputs};
        const std::size_t count = examples.size() * outputs;
        std::vector<T> mean(count), variance(count);
        std::vector<std::uint32_t> all(examples.size());
        std::iota(all.begin(), all.end(), 0u);
        const std::size_t tasks = (all.size() + kRowsPerTask - 1) / kRowsPerTask;
        workers.run(tasks, [&](std::size_t task) {
          Workspace<T> workspace(arrays.engine.layers());
          const std::size_t first = task * kRowsPerTask;
          const std::size_t size = std::min(kRowsPerTask, all.size() - first);
          arrays.engine.predict(arrays.belief, examples, std::span(all).subspan(first, size),
                                {mean, variance}, workspace);
        });
        expect_finite_predictions<T>(mean, variance);
        return network::Network::OutputMoments{{mean.begin(), mean.end()},
                                               {variance.begin(), variance.end()}};
      },
      network.arrays);
}

}  // namespace postrider::internal

namespace postrider::network {

Network::OutputMoments Network::predict(const Inputs& rows, unsigned threads) const {
  Workers workers(threads);
  return internal::predict(*state_, rows, workers);
}

std::size_t Network::memory_bytes() const {
  return std::visit(
      []<class T>(const NetworkArrays<T>& arrays) { return 4 * arrays.belief.size() * sizeof(T); },
      state_->arrays);
}

}  // namespace postrider::network
