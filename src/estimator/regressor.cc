#include "postrider/regressor.h"

#include <cmath>
#include <optional>

#include "data/standardise.h"
#include "estimator/capacity.h"
#include "estimator/dense.h"
#include "estimator/model_file.h"
#include "factor/varying_noise.h"
#include "postrider/error.h"

namespace postrider {

class RegressorState {
 public:
  RegressorOptions options;
  std::optional<FittedModel> fitted;
  std::optional<Trainer> stream;  // of partial_fit
};

namespace {

// Where the noise varies, the outputs that scale it begin at zero, with this prior variance of their
// sums for activations of mean square one. A wider one gains on some sets; on others the noise then
// takes the place of what the means should learn (docs/design/trials.md).
constexpr double kLogNoisePriorVariance = 0.1;

std::size_t network_outputs(const RegressorOptions& options) {
  return options.varying_noise ? 2 * options.outputs : options.outputs;
}

NetworkOptions network_options(const RegressorOptions& options, std::size_t inputs,
                               const std::vector<std::size_t>& hidden) {
  return dense_network(
      {hidden, options.activation, options.slope, options.precision, options.training.seed}, inputs,
      network_outputs(options));
}

const FittedModel& expect_fitted(const RegressorState& state) {
  if (!state.fitted) throw Error("this regressor has not learned anything yet: call fit() first");
  return *state.fitted;
}

// The number of inputs per row.
std::size_t columns_of(std::span<const double> inputs, std::span<const double> targets,
                       std::size_t outputs) {
  if (targets.empty() || targets.size() % outputs != 0)
    reject("targets", targets.size(), "must be a whole number of rows, at least one");
  const std::size_t rows = targets.size() / outputs;
  const std::size_t columns = input_columns(inputs, rows, "targets");
  expect_finite("targets", targets);
  return columns;
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

FittedModel untrained(const RegressorOptions& options, std::span<const double> inputs,
                      std::span<const double> targets, double weights_per_example) {
  const std::size_t columns = columns_of(inputs, targets, options.outputs);
  const std::vector<std::size_t> hidden =
      widths_for(options.hidden, columns, network_outputs(options),
                 targets.size() / options.outputs, weights_per_example);
  FittedModel out{options.varying_noise ? ModelKind::varying_noise : ModelKind::regressor,
                  Network(network_options(options, columns, hidden)),
                  scales_of(inputs, columns),
                  scales_of(targets, options.outputs),
                  {}};
  if (options.varying_noise) set_noise_priors(out.network, options.outputs);
  return out;
}

TrainerOptions training_options(const RegressorOptions& options) {
  TrainerOptions out = options.training;
  out.likelihood = options.varying_noise ? Likelihood::varying_noise : Likelihood::gaussian;
  return out;
}

void learn_more(RegressorState& state, std::span<const double> inputs,
                std::span<const double> targets) {
  FittedModel& model = *state.fitted;
  if (columns_of(inputs, targets, state.options.outputs) != model.inputs.columns())
    reject("inputs", inputs.size(), "must have as many columns as the rows learned before");
  if (!state.stream) {
    TrainerOptions options = training_options(state.options);
    if (!model.noise_variance.empty()) options.noise_variance = model.noise_variance;
    state.stream.emplace(model.network, options);
  }
  const std::vector<double> x = model.inputs.standardised(inputs);
  state.stream->partial_fit({x}, model.targets.standardised(targets));
  model.noise_variance = state.stream->noise_variance();
}

}  // namespace

void RegressorOptions::validate() const {
  if (outputs == 0) reject("outputs", outputs, "must be at least 1");
  expect_weights_per_example(weights_per_example);
  training.validate();
  network_options(*this, 1, hidden).validate();
}

Regressor::Regressor(const RegressorOptions& options) : state_(std::make_unique<RegressorState>()) {
  options.validate();
  state_->options = options;
}
Regressor::~Regressor() = default;
Regressor::Regressor(Regressor&&) noexcept = default;
Regressor& Regressor::operator=(Regressor&&) noexcept = default;

FitReport Regressor::fit(std::span<const double> inputs, std::span<const double> targets) {
  FittedModel model =
      untrained(state_->options, inputs, targets, state_->options.weights_per_example);
  Trainer trainer(model.network, training_options(state_->options));
  const std::vector<double> x = model.inputs.standardised(inputs);
  FitReport report = trainer.fit({x}, model.targets.standardised(targets));
  model.noise_variance = trainer.noise_variance();
  state_->stream.reset();
  state_->fitted = std::move(model);
  return report;
}

void Regressor::partial_fit(std::span<const double> inputs, std::span<const double> targets) {
  const bool is_first = !state_->fitted;
  // Of a stream, no telling how many rows will come.
  if (is_first) state_->fitted = untrained(state_->options, inputs, targets, 0);
  try {
    learn_more(*state_, inputs, targets);
  } catch (...) {
    // Rows that were refused must not fix the scales.
    if (is_first) {
      state_->stream.reset();
      state_->fitted.reset();
    }
    throw;
  }
}

namespace {

// One target of one row, standardised.
struct Outlook {
  double mean, variance;          // without noise
  double log_mean, log_variance;  // of the noise's logarithm; 0 where it does not vary
  double scale;                   // of the noise
  bool varies;

  double noise() const { return varies ? expected_noise(log_mean, log_variance, scale) : scale; }
  double log_density(double target) const {
    if (varies)
      return varying_noise_log_density({target - mean, variance, log_mean, log_variance, scale});
    return Gaussian::from_moments(mean, variance + scale).log_density(target);
  }
};

// Calls use(row, target's number, outlook) for each.
template <class Use>
void for_each_outlook(const RegressorState& state, std::span<const double> inputs, Use&& use) {
  const FittedModel& model = expect_fitted(state);
  if (inputs.size() % model.inputs.columns() != 0)
    reject("inputs", inputs.size(), "must be a whole number of rows of the columns learned");
  const std::vector<double> x = model.inputs.standardised(inputs);
  const OutputRows rows = model.network.predict({x}, state.options.training.threads);
  const std::size_t targets = model.targets.columns();
  const std::size_t outputs = model.network.options().outputs();
  const bool varies = model.kind == ModelKind::varying_noise;
  for (std::size_t row = 0; row * outputs < rows.mean.size(); ++row)
    for (std::size_t o = 0; o < targets; ++o) {
      const std::size_t at = row * outputs + o;
      Outlook outlook{rows.mean[at], rows.variance[at], 0, 0, 0, varies};
      outlook.scale = model.noise_variance[varies ? 0 : o];
      if (varies) {
        outlook.log_mean = rows.mean[at + targets];
        outlook.log_variance = rows.variance[at + targets];
      }
      use(row, o, outlook);
    }
}

}  // namespace

Forecast Regressor::predict(std::span<const double> inputs) const {
  const FittedModel& model = expect_fitted(*state_);
  Forecast out;
  for_each_outlook(*state_, inputs, [&](std::size_t, std::size_t o, const Outlook& outlook) {
    const double unit = model.targets.deviation[o];
    out.mean.push_back(model.targets.mean[o] + unit * outlook.mean);
    out.noise_variance.push_back(unit * unit * outlook.noise());
    out.variance.push_back(unit * unit * outlook.variance + out.noise_variance.back());
  });
  return out;
}

double Regressor::log_likelihood(std::span<const double> inputs,
                                 std::span<const double> targets) const {
  const FittedModel& model = expect_fitted(*state_);
  if (columns_of(inputs, targets, state_->options.outputs) != model.inputs.columns())
    reject("inputs", inputs.size(), "must have as many columns as the rows learned");
  const std::vector<double> y = model.targets.standardised(targets);
  double sum = 0, count = 0;
  for_each_outlook(*state_, inputs, [&](std::size_t row, std::size_t o, const Outlook& outlook) {
    const double target = y[row * model.targets.columns() + o];
    if (std::isnan(target)) return;
    sum += outlook.log_density(target) - std::log(model.targets.deviation[o]);
    count += 1;
  });
  return count > 0 ? sum / count : 0;
}

void Regressor::save(const std::string& path,
                     const std::map<std::string, std::string>& notes) const {
  write_model(path, expect_fitted(*state_), notes);
}

const std::map<std::string, std::string>& Regressor::notes() const {
  return expect_fitted(*state_).notes;
}

Regressor Regressor::load(const std::string& path) {
  FittedModel model = read_model(path, {ModelKind::regressor, ModelKind::varying_noise});
  RegressorOptions options;
  const NetworkOptions& network = model.network.options();
  const DenseShape shape = shape_of(network);
  options.hidden = shape.hidden;
  options.activation = shape.activation;
  options.slope = shape.slope;
  options.varying_noise = model.kind == ModelKind::varying_noise;
  options.outputs = model.targets.columns();
  options.precision = network.precision;
  options.training.seed = network.seed;
  Regressor out(options);
  out.state_->fitted = std::move(model);
  return out;
}

const RegressorOptions& Regressor::options() const { return state_->options; }

std::size_t Regressor::inputs() const {
  return state_->fitted ? state_->fitted->inputs.columns() : 0;
}

const Network& Regressor::network() const { return expect_fitted(*state_).network; }

}  // namespace postrider
