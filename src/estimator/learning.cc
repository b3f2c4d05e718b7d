// How an estimator of either kind learns: from all rows at once, or from a stream of them.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "data/target_scales.h"
#include "estimator/calibration.h"
#include "estimator/capacity.h"
#include "estimator/dense.h"
#include "estimator/ensemble.h"
#include "estimator/state.h"
#include "postrider/error.h"

namespace postrider {
namespace {

// Where the noise varies, the outputs that scale it begin at zero, with this prior variance of their
// sums for activations of mean square one. A wider one gains on some sets; on others the noise then
// takes the place of what the means should learn (docs/design/trials.md).
constexpr double kLogNoisePriorVariance = 0.1;
// Fewer rows do not tell the scale of a column.
constexpr std::size_t kRowsForScales = 100;
// A network is told to be too narrow when one so many times wider could be filled.
constexpr std::size_t kWorthWidening = 2;

// More classes than this must be asked for: a label beyond it is more likely a mistake.
constexpr double kMostInferred = 10000;

std::size_t inferred_classes(std::span<const double> labels) {
  const double largest = *std::ranges::max_element(labels);
  if (largest >= kMostInferred)
    reject("labels", largest,
           "must be class numbers from 0; set options.classes if there are more than 10000");
  return std::max<std::size_t>(2, static_cast<std::size_t>(largest) + 1);
}

// Two classes need one score only.
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
    if (label >= static_cast<double>(classes_of(outputs)))
      reject("labels", static_cast<std::size_t>(label),
             "must be below the number of classes, " + std::to_string(classes_of(outputs)) +
                 ", which the options or the first rows say");
}

// The priors of the weights that the logarithms of the noise are made of: the last ones.
void set_noise_priors(Network& network, std::size_t outputs) {
  const Layer& last = network.options().layers.back();
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

// For so many rows, or for a stream: there is no telling how many rows will come.
FittedModel untrained(const EstimatorState& state, const EstimatorRows& rows, bool is_stream) {
  const EstimatorOptions& options = state.options;
  const ModelKind kind = state.kind();
  const std::size_t outputs = network_outputs(options, kind, rows.targets);
  expect_labels(state, rows.targets, outputs);
  const std::size_t counted = effective_rows(rows.count, rows.sample_weights);
  const std::vector<std::size_t> hidden =
      widths_for(options.hidden, rows.columns(), outputs, counted,
                 is_stream ? 0 : options.weights_per_example);
  const DenseShape shape{hidden, options.activation, options.slope, options.precision,
                         options.training.seed};
  const std::size_t weights = dense_network(shape, rows.columns(), outputs).weights();
  const std::size_t members = is_stream ? std::max<std::size_t>(1, options.ensemble_size)
                                        : members_for(options.ensemble_size, counted, weights);
  FittedModel out{kind,
                  untrained_members(members, shape, rows.columns(), outputs),
                  scales_of(rows.inputs, rows.columns(), rows.sample_weights),
                  {}};
  if (kind != ModelKind::classifier)
    out.targets = target_scales(rows.targets, options.outputs, rows.sample_weights);
  if (kind == ModelKind::varying_noise)
    for (Member& member : out.members) set_noise_priors(member.network, options.outputs);
  return out;
}

TrainingTask task_of(ModelKind kind, double power) {
  switch (kind) {
    case ModelKind::classifier:
      return {Likelihood::classes, power};
    case ModelKind::varying_noise:
      return {Likelihood::varying_noise, power};
    case ModelKind::regressor:
      break;
  }
  return {Likelihood::gaussian, power};
}

// In standardised units; class numbers as they are.
std::vector<double> told(const FittedModel& model, std::span<const double> targets) {
  if (model.kind == ModelKind::classifier) return {targets.begin(), targets.end()};
  return model.targets.standardised(targets);
}

// Standard deviations: a target farther from the mean of those that set the scales is moved to here when
// it comes in a stream. One such row would otherwise move the beliefs beyond all that others said.
constexpr double kFarTarget = 10;
// Farther than this it is no target at all, as of inputs.
constexpr double kFarthest = 1e12;

std::size_t bound_targets(const FittedModel& model, std::span<const double> given,
                          std::vector<double>& targets) {
  if (model.kind == ModelKind::classifier) return 0;
  std::size_t moved = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (std::abs(targets[i]) > kFarthest)
      reject("targets", given[i],
             "must lie within 1e12 standard deviations of those that set the scales");
    if (!(std::abs(targets[i]) > kFarTarget)) continue;
    targets[i] = std::copysign(kFarTarget, targets[i]);
    ++moved;
  }
  return moved;
}

StreamReport learn_rows(EstimatorState& state, const EstimatorRows& rows) {
  FittedModel& model = *state.fitted;
  if (rows.columns() != model.inputs.columns())
    reject("inputs", rows.inputs.size(), "must have as many columns as the rows learned before");
  expect_labels(state, rows.targets, model.shape().outputs());
  const InputRows inputs = scaled_inputs(model, rows.inputs);
  std::vector<double> targets = told(model, rows.targets);
  const std::size_t moved = bound_targets(model, rows.targets, targets);
  if (state.streams.empty())
    state.streams = streams_of(model.members, state.options.training,
                               task_of(model.kind, stream_power(state.options.power)));
  const TrainingRows prepared(inputs, model.inputs.columns(), state.options.precision);
  StreamReport report =
      learn_stream(state.streams, model.members, {prepared, targets, rows.sample_weights});
  report.far_targets = moved;
  if (!report.sound) return report;
  const std::size_t before = std::exchange(model.rows_learned, model.rows_learned + rows.count);
  report.too_narrow = std::bit_width(model.rows_learned) > std::bit_width(before) &&
                      is_too_narrow(state.options, model);
  return report;
}

void append(std::vector<double>& to, std::span<const double> from) {
  to.insert(to.end(), from.begin(), from.end());
}

// The rows that came before the scales were set, and these.
StreamStart joined(StreamStart before, const EstimatorRows& rows) {
  const bool has_weights = !before.sample_weights.empty() || !rows.sample_weights.empty();
  if (has_weights) before.sample_weights.resize(before.count, 1);
  append(before.inputs, rows.inputs);
  append(before.targets, rows.targets);
  append(before.sample_weights, rows.sample_weights);
  before.count += rows.count;
  if (has_weights) before.sample_weights.resize(before.count, 1);
  return before;
}

// Learns all rows so far anew: they set the scales. Nothing changes if they are refused.
StreamReport begin_stream(EstimatorState& state, const EstimatorRows& rows) {
  StreamStart start = state.fitted ? state.fitted->start : StreamStart{};
  if (start.count > 0 && rows.columns() != state.fitted->inputs.columns())
    reject("inputs", rows.inputs.size(), "must have as many columns as the rows learned before");
  start = joined(std::move(start), rows);
  const EstimatorRows all{start.inputs, start.targets, start.sample_weights, start.count};
  std::optional<FittedModel> before = std::exchange(state.fitted, untrained(state, all, true));
  state.streams.clear();
  try {
    const StreamReport report = learn_rows(state, all);
    if (!report.sound) {
      // Rows that cannot be learned must not be learned again with the next ones.
      state.streams.clear();
      state.fitted = std::move(before);
    } else if (start.count < kRowsForScales) {
      state.fitted->start = std::move(start);
    }
    return report;
  } catch (...) {
    state.streams.clear();
    state.fitted = std::move(before);
    throw;
  }
}

}  // namespace

std::vector<FitReport> fit(EstimatorState& state, const EstimatorRows& rows,
                           const TrainingCallbacks& callbacks) {
  FittedModel model = untrained(state, rows, /*is_stream=*/false);
  const EstimatorOptions& options = state.options;
  const double power = power_for(options.power, model.members.front().network.weight_count(),
                                 effective_rows(rows.count, rows.sample_weights));
  std::vector<double> targets = told(model, rows.targets);
  CalibrationSplit split;
  if (model.kind == ModelKind::classifier) {
    split = CalibrationSplit(rows.count, options.calibration_share, options.training.seed);
    for (const std::uint32_t row : split.held_out)
      targets[row] = std::numeric_limits<double>::quiet_NaN();
  }
  const TrainingRows prepared(scaled_inputs(model, rows.inputs), rows.columns(), options.precision);
  TrainerOptions training = options.training;
  training.damping = damping_for(training.damping, options.power, power);
  std::vector<FitReport> reports =
      fit_members(model.members, training, task_of(model.kind, power),
                  {prepared, targets, rows.sample_weights, split.learned}, callbacks);
  if (model.kind == ModelKind::classifier)
    model.temperature =
        temperature_of(model, rows, split.held_out, resolved_threads(options.training.threads));
  model.rows_learned = rows.count;
  state.streams.clear();
  state.fitted = std::move(model);
  return reports;
}

StreamReport partial_fit(EstimatorState& state, const EstimatorRows& rows) {
  const bool has_scales = state.fitted && state.fitted->start.count == 0;
  return has_scales ? learn_rows(state, rows) : begin_stream(state, rows);
}

bool is_too_narrow(const EstimatorOptions& options, const FittedModel& model) {
  const std::vector<std::size_t> present = shape_of(model.shape()).hidden;
  const std::vector<std::size_t> possible =
      widths_for(options.hidden, model.inputs.columns(), model.shape().outputs(),
                 model.rows_learned, options.weights_per_example);
  for (std::size_t l = 0; l < std::min(present.size(), possible.size()); ++l)
    if (possible[l] >= kWorthWidening * present[l]) return true;
  return false;
}

}  // namespace postrider
