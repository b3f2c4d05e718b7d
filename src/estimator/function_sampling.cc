#include "estimator/function_sampling.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "estimator/drawn_layers.h"
#include "estimator/linear_belief.h"
#include "estimator/predictive.h"
#include "estimator/state.h"
#include "network/network_state.h"

namespace postrider::internal {
namespace {

// A variance of standardised targets: where there is no noise, rounding remains.
constexpr double kLeastNoise = 1e-8;
// What priors and precisions of the last layer are multiplied by.
constexpr std::array<double, 6> kReaches{0.5, 1, 2, 4, 8, 16};
constexpr std::array<double, 5> kPrecisions{0.25, 1, 16, 256, 4096};

std::size_t drawn_member(const std::vector<Member>& members, RandomStream& random) {
  double left = 0;
  for (const Member& member : members) left += member.share;
  left *= random.uniform();
  for (std::size_t m = 0; m + 1 < members.size(); ++m)
    if ((left -= members[m].share) < 0) return m;
  return members.size() - 1;
}

// Where the weights of one layer begin in the numbering of a network, and how many a unit has.
struct LayerPlace {
  std::size_t first, inputs, width;
};
std::vector<LayerPlace> places_of(const network::NetworkOptions& options) {
  std::vector<LayerPlace> out;
  std::size_t first = 0, inputs = options.inputs;
  for (const network::Layer& layer : options.layers) {
    const std::size_t width = inputs + (layer.bias ? 1 : 0);
    out.push_back({first, inputs, width});
    first += width * layer.units;
    inputs = layer.units;
  }
  return out;
}

// The first `units` units of a layer, drawn from their beliefs.
FunctionDraw::Layer drawn_layer(const network::Network& network, std::size_t l,
                                const LayerPlace& place, std::size_t units, RandomStream& random) {
  FunctionDraw::Layer out{place.inputs, units, slope_of(network.options().layers[l]),
                          std::vector<double>((place.inputs + 1) * units, 0.0)};
  for (std::size_t i = 0; i < units; ++i)
    for (std::size_t k = 0; k < place.width; ++k) {
      const Gaussian belief = network.weight(place.first + i * place.width + k);
      out.weights[k * units + i] = belief.mean() + belief.std() * random.normal();
    }
  return out;
}

// What the hidden layers say of the rows, with a one for the bias after each: the inputs of the last layer.
std::vector<double> last_inputs(std::span<const FunctionDraw::Layer> hidden,
                                const SparseInputs& rows, const LayerPlace& last) {
  const std::size_t count = rows.rows();
  std::vector<double> out(count * last.width, 0.0), found;
  if (!hidden.empty()) found = layer_outputs(hidden, rows);
  for (std::size_t row = 0; row < count; ++row) {
    double* to = out.data() + row * last.width;
    if (hidden.empty())
      for (std::size_t at = rows.begins[row]; at < rows.begins[row + 1]; ++at)
        to[rows.places[at]] = rows.values[at];
    else
      std::copy_n(found.data() + row * last.inputs, last.inputs, to);
    if (last.width > last.inputs) to[last.inputs] = 1;
  }
  return out;
}

// One of these, each as likely as what it says of the targets.
template <class Of>
double drawn_scale(std::span<const double> choices, Of&& scales_of,
                   std::span<const Gaussian> priors, const LinearSums& sums, RandomStream& random) {
  std::vector<double> likely;
  for (const double choice : choices)
    likely.push_back(LinearBelief(priors, sums, scales_of(choice)).log_evidence());
  const double most = *std::ranges::max_element(likely);
  double left = 0;
  for (double& each : likely) left += each = std::exp(each - most);
  left *= random.uniform();
  for (std::size_t k = 0; k + 1 < likely.size(); ++k)
    if ((left -= likely[k]) < 0) return choices[k];
  return choices.back();
}

// How far a function reaches up and down, and how much of what it misses is noise, by what the rows say.
LinearScales drawn_scales(std::span<const Gaussian> priors, const LinearSums& sums,
                          bool noise_is_known, RandomStream& random) {
  LinearScales out;
  const auto with_prior = [&](double a) { return LinearScales{a, out.precision}; };
  const auto with_precision = [&](double b) { return LinearScales{out.prior, b}; };
  out.prior = drawn_scale(kReaches, with_prior, priors, sums, random);
  if (noise_is_known) return out;
  // Either depends on the other.
  out.precision = drawn_scale(kPrecisions, with_precision, priors, sums, random);
  out.prior = drawn_scale(kReaches, with_prior, priors, sums, random);
  return out;
}

// The weights of the last layer's first units anew, from their exact beliefs.
void condition(FunctionDraw::Layer& layer, const network::Network& network, const LayerPlace& last,
               std::span<const FunctionDraw::Layer> hidden, const RowsToCondition& rows,
               std::span<const double> precisions, RandomStream& random) {
  const std::vector<double> inputs = last_inputs(hidden, rows.inputs, last);
  const std::size_t count = rows.inputs.rows(), units = layer.units;
  std::vector<double> targets(count), sure(count);
  for (std::size_t i = 0; i < units; ++i) {
    for (std::size_t row = 0; row < count; ++row) {
      targets[row] = rows.targets[row * units + i];
      sure[row] = precisions[row * units + i];
    }
    std::vector<Gaussian> priors;
    for (std::size_t k = 0; k < last.width; ++k)
      priors.push_back(network.prior(last.first + i * last.width + k));
    const LinearSums sums({Inputs(inputs, count, last.width), targets, sure});
    LinearScales scales;
    if (!hidden.empty()) scales = drawn_scales(priors, sums, rows.noise_is_known, random);
    const std::vector<double> drawn = LinearBelief(priors, sums, scales).draw(random);
    for (std::size_t k = 0; k < last.width; ++k) layer.weights[k * units + i] = drawn[k];
  }
}

FunctionDraw drawn_function(const FittedModel& model, const RowsToCondition* rows,
                            RandomStream random) {
  const std::size_t m = drawn_member(model.members, random);
  const network::Network& network = model.members[m].network;
  const std::vector<LayerPlace> places = places_of(network.options());
  const std::size_t last = places.size() - 1, targets = model.targets.columns();
  FunctionDraw::Parts out{
      model.encoding.columns(), model.encoding.typical_means(), model.encoding.unit(), {}, {}};
  for (std::size_t l = 0; l < last; ++l)
    out.layers.push_back(
        drawn_layer(network, l, places[l], network.options().layers[l].units, random));
  // Nothing is asked of outputs that tell the noise.
  FunctionDraw::Layer outputs = drawn_layer(network, last, places[last], targets, random);
  if (rows != nullptr)
    condition(outputs, network, places[last], out.layers, *rows, rows->precisions[m], random);
  out.layers.push_back(std::move(outputs));
  for (std::size_t o = 0; o < targets; ++o) {
    const TargetColumn& column = model.targets.column(o);
    out.targets.push_back({column.mean(), column.deviation(), column.offset()});
  }
  return FunctionDraw(std::move(out));
}

}  // namespace

RowsToCondition rows_to_condition(const FittedModel& model, const Examples& rows,
                                  std::optional<double> noise_std,
                                  std::span<const network::Network::OutputMoments> predicted) {
  RowsToCondition out{encoded_inputs(model, rows.inputs),
                      model.targets.learned(rows.targets),
                      {},
                      noise_std.has_value()};
  const std::vector<Outlook> outlooks = outlooks_of(model, predicted);
  const std::size_t members = predicted.size(), targets = model.targets.columns();
  for (std::size_t m = 0; m < members; ++m) {
    std::vector<double> precisions;
    for (std::size_t place = 0; place < out.targets.size(); ++place) {
      double noise = outlooks[place * members + m].noise();
      if (noise_std) {
        // On the root scale noise is as large as the scale's slope makes it at this target.
        const TargetColumn& column = model.targets.column(place % targets);
        const double learned = *noise_std * std::exp(column.log_slope(rows.targets[place]));
        noise = learned * learned;
      }
      const double weight = rows.sample_weights.empty() ? 1 : rows.sample_weights[place / targets];
      precisions.push_back(weight / std::max(noise, kLeastNoise));
    }
    out.precisions.push_back(std::move(precisions));
  }
  return out;
}

std::vector<FunctionDraw> drawn_functions(const FittedModel& model, const RowsToCondition* rows,
                                          std::size_t count, std::uint64_t seed, Workers& workers) {
  std::vector<std::optional<FunctionDraw>> found(count);
  workers.run(count, [&](std::size_t k) {
    found[k].emplace(drawn_function(model, rows, RandomStream(seed, k)));
  });
  std::vector<FunctionDraw> out;
  out.reserve(count);
  for (std::optional<FunctionDraw>& each : found) out.push_back(std::move(*each));
  return out;
}

}  // namespace postrider::internal
