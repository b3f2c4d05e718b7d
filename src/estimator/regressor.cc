#include "postrider/regressor.h"

#include <optional>

#include "data/standardise.h"
#include "estimator/capacity.h"
#include "estimator/dense.h"
#include "estimator/model_file.h"
#include "postrider/error.h"

namespace postrider {

class RegressorState {
 public:
  RegressorOptions options;
  std::optional<FittedModel> fitted;
  std::optional<Trainer> stream;  // of partial_fit
};

namespace {

NetworkOptions network_options(const RegressorOptions& options, std::size_t inputs,
                               const std::vector<std::size_t>& hidden) {
  return dense_network(
      {hidden, options.activation, options.slope, options.precision, options.training.seed}, inputs,
      options.outputs);
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

FittedModel untrained(const RegressorOptions& options, std::span<const double> inputs,
                      std::span<const double> targets, double weights_per_example) {
  const std::size_t columns = columns_of(inputs, targets, options.outputs);
  const std::vector<std::size_t> hidden =
      widths_for(options.hidden, columns, options.outputs, targets.size() / options.outputs,
                 weights_per_example);
  return {ModelKind::regressor,
          Network(network_options(options, columns, hidden)),
          scales_of(inputs, columns),
          scales_of(targets, options.outputs),
          {}};
}

void learn_more(RegressorState& state, std::span<const double> inputs,
                std::span<const double> targets) {
  FittedModel& model = *state.fitted;
  if (columns_of(inputs, targets, state.options.outputs) != model.inputs.columns())
    reject("inputs", inputs.size(), "must have as many columns as the rows learned before");
  if (!state.stream) {
    TrainerOptions options = state.options.training;
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
  Trainer trainer(model.network, state_->options.training);
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

Forecast Regressor::predict(std::span<const double> inputs) const {
  const FittedModel& model = expect_fitted(*state_);
  if (inputs.size() % model.inputs.columns() != 0)
    reject("inputs", inputs.size(), "must be a whole number of rows of the columns learned");
  const std::vector<double> x = model.inputs.standardised(inputs);
  const OutputRows rows = model.network.predict({x}, state_->options.training.threads);
  Forecast out;
  for (std::size_t i = 0; i < rows.mean.size(); ++i) {
    const std::size_t o = i % model.targets.columns();
    const double unit = model.targets.deviation[o];
    out.mean.push_back(model.targets.mean[o] + unit * rows.mean[i]);
    out.noise_variance.push_back(unit * unit * model.noise_variance[o]);
    out.variance.push_back(unit * unit * rows.variance[i] + out.noise_variance.back());
  }
  return out;
}

void Regressor::save(const std::string& path) const { write_model(path, expect_fitted(*state_)); }

Regressor Regressor::load(const std::string& path) {
  FittedModel model = read_model(path, ModelKind::regressor);
  RegressorOptions options;
  const NetworkOptions& network = model.network.options();
  const DenseShape shape = shape_of(network);
  options.hidden = shape.hidden;
  options.activation = shape.activation;
  options.slope = shape.slope;
  options.outputs = network.outputs();
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
