#include "estimator/untrained.h"

#include <algorithm>
#include <utility>

#include "data/target_scales.h"
#include "estimator/dense.h"
#include "estimator/ensemble.h"
#include "estimator/model_options.h"
#include "estimator/stream_bank.h"
#include "postrider/error.h"
#include "sweep/layout.h"

namespace postrider::internal {
namespace {

// Where the noise varies, the outputs that scale it begin at zero, with this prior variance of their
// sums for activations of mean square one. A wider one gains on some sets; on others the noise then
// takes the place of what the means should learn (docs/design/trials.md).
constexpr double kLogNoisePriorVariance = 0.1;
// Bounds of noise that is known, as a share of the target's variance. The least is also the least that is looked for where noise
// is learned: rounding in single precision is not far below. What is far larger than the targets says nothing.
constexpr double kLeastKnownNoise = 1e-6, kMostKnownNoise = 1e6;
// More classes than this must be asked for: a label beyond it is more likely a mistake.
constexpr double kMostInferred = 10000;

std::size_t inferred_classes(std::span<const double> labels) {
  const double largest = *std::ranges::max_element(labels);
  if (largest >= kMostInferred)
    reject("labels", largest,
           "must be class numbers from 0; set options.classes if there are more than 10000");
  return std::max<std::size_t>(2, static_cast<std::size_t>(largest) + 1);
}

// The priors of the weights that the logarithms of the noise are made of: the last ones.
void set_noise_priors(network::Network& network, std::size_t outputs) {
  const network::Layer& last = network.options().layers.back();
  const std::size_t units = network.options().outputs();
  const std::size_t below = network.options().layers.size() > 1
                                ? network.options().layers.rbegin()[1].units
                                : network.options().inputs;
  const std::size_t fan_in = below + (last.bias ? 1 : 0);
  const Gaussian prior =
      Gaussian::from_moments(0, kLogNoisePriorVariance / static_cast<double>(fan_in));
  for (std::size_t k = (units - outputs) * fan_in; k-- > 0;)
    network.set_prior(network.weight_count() - 1 - k, prior);
}

// Rates side by side where that takes little more time than one network.
std::size_t stream_members(const EstimatorOptions& options, std::size_t weights) {
  if (options.ensemble_size > 0) return options.ensemble_size;
  const std::size_t kinds = kinds_of_members(options).size();
  if (!fits_the_cache_in_packs(weights) || kinds == 1) return 1;
  // One of each kind, or as many as there are lanes.
  return options.training.stream_memory > 0 ? kinds : kPack;
}

Scales scales_for(const Examples& rows) {
  if (rows.inputs.is_sparse())
    return usable_inputs(scales_of(column_moments(rows.inputs, rows.sample_weights)));
  return usable_inputs(scales_of(rows.inputs, rows.sample_weights));
}

}  // namespace

std::size_t network_outputs(const EstimatorOptions& options, ModelKind kind,
                            std::span<const double> targets) {
  if (kind == ModelKind::varying_noise) return 2 * options.outputs;
  if (kind == ModelKind::regressor) return options.outputs;
  const std::size_t classes = options.classes > 0 ? options.classes : inferred_classes(targets);
  return classes == 2 ? 1 : classes;
}

void expect_labels(const EstimatorState& state, std::span<const double> labels,
                   std::size_t outputs) {
  if (state.kind() != ModelKind::classifier) return;
  for (const double label : labels)
    if (label >= static_cast<double>(network::classes_of(outputs)))
      reject("labels", static_cast<std::size_t>(label),
             "must be below the number of classes, " +
                 std::to_string(network::classes_of(outputs)) +
                 ", which the options or the first rows say");
}

RowsSummary summary_of(const EstimatorState& state, const Examples& rows,
                       const Preparation& preparation) {
  RowsSummary out{effective_rows(rows.count(), rows.sample_weights),
                  network_outputs(state.options, state.kind(), rows.targets),
                  scales_for(rows),
                  {},
                  {},
                  {}};
  expect_labels(state, rows.targets, out.outputs);
  FormsOfColumns forms = forms_of(state, rows, preparation);
  if (state.kind() != ModelKind::classifier)
    out.targets =
        target_scales(rows.targets, state.options.outputs, rows.sample_weights, forms.targets);
  out.encoding = std::move(forms.inputs);
  out.cut_by = std::move(forms.cut_by);
  return out;
}

FittedModel untrained(const EstimatorState& state, const RowsSummary& rows, bool is_stream) {
  const EstimatorOptions& options = state.options;
  const ModelKind kind = state.kind();
  const std::size_t inputs = rows.encoding.inputs();
  // Nobody knows how many rows a stream will have.
  const std::vector<std::size_t> hidden =
      widths_for(options.hidden, inputs, rows.outputs, is_stream ? 0 : rows.rows,
                 is_stream ? 0 : options.weights_per_example);
  const DenseShape shape{hidden,
                         options.activation,
                         options.slope,
                         options.precision,
                         options.training.seed,
                         rows.encoding.active_inputs()};
  const std::size_t weights = dense_network(shape, inputs, rows.outputs).weights();
  const std::size_t members =
      is_stream ? stream_members(options, weights)
                : members_for(options.ensemble_size, rows.rows, weights, are_for_many_rows(hidden));
  FittedModel out{kind, untrained_members(members, shape, inputs, rows.outputs), rows.inputs,
                  rows.targets};
  out.encoding = rows.encoding;
  if (kind == ModelKind::varying_noise)
    for (Member& member : out.members) set_noise_priors(member.network, options.outputs);
  return out;
}

FittedModel untrained_stream(const EstimatorState& state, const Examples& rows) {
  return untrained(state, summary_of(state, rows, stream_preparation(state.options)),
                   /*is_stream=*/true);
}

network::Trainer::Task task_of(ModelKind kind, double power) {
  switch (kind) {
    case ModelKind::classifier:
      return {network::Likelihood::classes, power};
    case ModelKind::varying_noise:
      return {network::Likelihood::varying_noise, power};
    case ModelKind::regressor:
      break;
  }
  return {network::Likelihood::gaussian, power};
}

std::vector<double> known_noise(const EstimatorOptions& options, const TargetScales& targets) {
  std::vector<double> out;
  for (std::size_t c = 0; c < targets.columns() && !options.noise_std.empty(); ++c) {
    const double given = options.noise_std[options.noise_std.size() == 1 ? 0 : c];
    const double share = given / targets.column(c).deviation();
    out.push_back(std::clamp(share * share, kLeastKnownNoise, kMostKnownNoise));
  }
  return out;
}

std::vector<double> told(const FittedModel& model, std::span<const double> targets) {
  if (model.kind == ModelKind::classifier) return {targets.begin(), targets.end()};
  return model.targets.learned(targets);
}

}  // namespace postrider::internal
