#include "postrider/regressor.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "data/target_scales.h"
#include "estimator/capacity.h"
#include "estimator/dense.h"
#include "estimator/distributions.h"
#include "estimator/model_file.h"
#include "postrider/error.h"
#include "train/targets.h"

namespace postrider {

class RegressorState {
 public:
  RegressorOptions options;
  std::optional<FittedModel> fitted;
  std::vector<Trainer> streams;  // of partial_fit, one per member
};

namespace {

// Where the noise varies, the outputs that scale it begin at zero, with this prior variance of their
// sums for activations of mean square one. A wider one gains on some sets; on others the noise then
// takes the place of what the means should learn (docs/design/trials.md).
constexpr double kLogNoisePriorVariance = 0.1;
// Far from the data that logarithm could be anything, and its exponential beyond all measure. It is kept
// within what the data could have taught: a median noise of a fiftieth to fifty times the usual.
constexpr double kFarLogNoise = 8, kFarLogNoiseVariance = 1;
constexpr std::size_t kRowsAtOnce = 4096;

std::size_t network_outputs(const RegressorOptions& options) {
  return options.varying_noise ? 2 * options.outputs : options.outputs;
}

DenseShape shape_for(const RegressorOptions& options, const std::vector<std::size_t>& hidden) {
  return {hidden, options.activation, options.slope, options.precision, options.training.seed};
}

const FittedModel& expect_fitted(const RegressorState& state) {
  if (!state.fitted)
    throw NotFitted("this regressor has not learned anything yet: call fit() first");
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

// For so many rows, or for a stream: of that, no telling how many will come.
FittedModel untrained(const RegressorOptions& options, std::span<const double> inputs,
                      std::span<const double> targets, std::span<const double> weights,
                      bool is_stream) {
  const std::size_t columns = columns_of(inputs, targets, options.outputs);
  expect_weights(weights, targets.size() / options.outputs);
  const std::size_t rows = effective_rows(targets.size() / options.outputs, weights);
  const std::size_t outputs = network_outputs(options);
  const std::vector<std::size_t> hidden = widths_for(options.hidden, columns, outputs, rows,
                                                     is_stream ? 0 : options.weights_per_example);
  const std::size_t members =
      is_stream ? std::max<std::size_t>(1, options.members) : members_for(options.members, rows);
  FittedModel out{options.varying_noise ? ModelKind::varying_noise : ModelKind::regressor,
                  untrained_members(members, shape_for(options, hidden), columns, outputs),
                  scales_of(inputs, columns, weights),
                  target_scales(targets, options.outputs, weights)};
  if (options.varying_noise)
    for (Member& member : out.members) set_noise_priors(member.network, options.outputs);
  return out;
}

TrainerOptions training_options(const RegressorOptions& options, double power) {
  TrainerOptions out = options.training;
  out.power = power;
  out.likelihood = options.varying_noise ? Likelihood::varying_noise : Likelihood::gaussian;
  return out;
}

void learn_more(RegressorState& state, std::span<const double> inputs,
                std::span<const double> targets, std::span<const double> weights) {
  FittedModel& model = *state.fitted;
  if (columns_of(inputs, targets, state.options.outputs) != model.inputs.columns())
    reject("inputs", inputs.size(), "must have as many columns as the rows learned before");
  expect_weights(weights, targets.size() / state.options.outputs);
  if (state.streams.empty())
    state.streams = streams_of(model.members,
                               training_options(state.options, stream_power(state.options.power)));
  const std::vector<double> x = postrider::standardised_inputs(model.inputs, inputs);
  learn_stream(state.streams, model.members, {x}, model.targets.standardised(targets), weights);
}

}  // namespace

void RegressorOptions::validate() const {
  if (outputs == 0) reject("outputs", outputs, "must be at least 1");
  expect_weights_per_example(weights_per_example);
  training.validate();
  expect_power(power, training);
  dense_network(shape_for(*this, hidden), 1, network_outputs(*this)).validate();
}

Regressor::Regressor(const RegressorOptions& options) : state_(std::make_unique<RegressorState>()) {
  options.validate();
  state_->options = options;
}
Regressor::~Regressor() = default;
Regressor::Regressor(Regressor&&) noexcept = default;
Regressor& Regressor::operator=(Regressor&&) noexcept = default;

std::vector<FitReport> Regressor::fit(std::span<const double> inputs,
                                      std::span<const double> targets,
                                      std::span<const double> weights) {
  const RegressorOptions& options = state_->options;
  FittedModel model = untrained(options, inputs, targets, weights, /*is_stream=*/false);
  const double power = power_for(options.power, model.members.front().network.weight_count(),
                                 effective_rows(targets.size() / options.outputs, weights));
  const std::vector<double> x = model.inputs.standardised(inputs);
  std::vector<FitReport> reports = fit_members(model.members, training_options(options, power), {x},
                                               model.targets.standardised(targets), weights);
  state_->streams.clear();
  state_->fitted = std::move(model);
  return reports;
}

void Regressor::partial_fit(std::span<const double> inputs, std::span<const double> targets,
                            std::span<const double> weights) {
  const bool is_first = !state_->fitted;
  if (is_first)
    state_->fitted = untrained(state_->options, inputs, targets, weights, /*is_stream=*/true);
  try {
    learn_more(*state_, inputs, targets, weights);
  } catch (...) {
    // Rows that were refused must not fix the scales.
    if (is_first) {
      state_->streams.clear();
      state_->fitted.reset();
    }
    throw;
  }
}

namespace {

Distributions distributions_of(const RegressorState& state, std::span<const double> inputs) {
  const FittedModel& model = expect_fitted(state);
  const std::vector<double> x = postrider::standardised_inputs(model.inputs, inputs);
  const std::size_t targets = model.targets.columns(), outputs = model.shape().outputs();
  const std::size_t rows = x.size() / model.inputs.columns(), members = model.members.size();
  const bool varies = model.kind == ModelKind::varying_noise;
  const unsigned threads = state.options.training.threads;
  DistributionsState out{members, std::vector<Outlook>(rows * targets * members), model.targets,
                         threads};
  for (std::size_t m = 0; m < members; ++m) {
    const Member& member = model.members[m];
    const OutputRows found = member.network.predict({x}, threads);
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t o = 0; o < targets; ++o) {
        const std::size_t at = row * outputs + o;
        Outlook& outlook = out.outlooks[(row * targets + o) * members + m];
        outlook = {found.mean[at], found.variance[at], 0, 0, member.noise_variance[varies ? 0 : o],
                   varies};
        if (!varies) continue;
        outlook.log_mean = std::clamp(found.mean[at + targets], -kFarLogNoise, kFarLogNoise);
        outlook.log_variance = std::min(found.variance[at + targets], kFarLogNoiseVariance);
      }
  }
  return Distributions(std::make_shared<const DistributionsState>(std::move(out)));
}

// Calls use(first target's place, distributions) for rows after rows: in memory that does not grow with
// their number.
template <class Use>
void for_each_block(const RegressorState& state, std::span<const double> inputs, Use&& use) {
  const FittedModel& model = expect_fitted(state);
  const std::size_t columns = model.inputs.columns(), rows = inputs.size() / columns;
  if (inputs.size() % columns != 0)
    reject("inputs", inputs.size(), "must be a whole number of rows of the columns learned");
  for (std::size_t first = 0; first < rows; first += kRowsAtOnce) {
    const std::size_t count = std::min(kRowsAtOnce, rows - first);
    use(first * model.targets.columns(),
        distributions_of(state, inputs.subspan(first * columns, count * columns)));
  }
}

void append(std::vector<double>& to, const std::vector<double>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

Distributions Regressor::distributions(std::span<const double> inputs) const {
  return distributions_of(*state_, inputs);
}

Forecast Regressor::predict(std::span<const double> inputs) const {
  Forecast out;
  for_each_block(*state_, inputs, [&](std::size_t, const Distributions& block) {
    const Forecast more = block.moments();
    append(out.mean, more.mean);
    append(out.variance, more.variance);
    append(out.noise_variance, more.noise_variance);
  });
  return out;
}

double Regressor::log_likelihood(std::span<const double> inputs,
                                 std::span<const double> targets) const {
  const FittedModel& model = expect_fitted(*state_);
  if (columns_of(inputs, targets, state_->options.outputs) != model.inputs.columns())
    reject("inputs", inputs.size(), "must have as many columns as the rows learned");
  double sum = 0, count = 0;
  for_each_block(*state_, inputs, [&](std::size_t first, const Distributions& block) {
    const std::span<const double> of_block = targets.subspan(first, block.size());
    const std::vector<double> log_densities = block.log_densities(of_block);
    for (std::size_t place = 0; place < of_block.size(); ++place) {
      if (std::isnan(of_block[place])) continue;
      sum += log_densities[place];
      count += 1;
    }
  });
  return count > 0 ? sum / count : 0;
}

std::vector<double> Regressor::quantiles(std::span<const double> inputs,
                                         std::span<const double> probabilities) const {
  expect_probabilities(probabilities);
  std::vector<double> out;
  for_each_block(*state_, inputs, [&](std::size_t, const Distributions& block) {
    append(out, block.quantiles(probabilities));
  });
  return out;
}

std::vector<double> Regressor::samples(std::span<const double> inputs, std::size_t count,
                                       std::uint64_t seed, std::size_t first_row) const {
  std::vector<double> out;
  for_each_block(*state_, inputs, [&](std::size_t first, const Distributions& block) {
    append(out, block.samples(count, seed, first_row + first / state_->options.outputs));
  });
  return out;
}

const std::vector<double>& Regressor::target_deviations() const {
  return expect_fitted(*state_).targets.deviation;
}

void Regressor::save(const std::string& path,
                     const std::map<std::string, std::string>& notes) const {
  write_model(path, expect_fitted(*state_), notes);
}

void Regressor::save(std::ostream& to, const std::map<std::string, std::string>& notes) const {
  write_model(to, expect_fitted(*state_), notes);
}

const std::map<std::string, std::string>& Regressor::notes() const {
  return expect_fitted(*state_).notes;
}

namespace {

// What the options of such a model would have been, as far as it tells.
RegressorOptions options_of(const FittedModel& model) {
  RegressorOptions options;
  const NetworkOptions& network = model.shape();
  const DenseShape shape = shape_of(network);
  options.hidden = shape.hidden;
  options.activation = shape.activation;
  options.slope = shape.slope;
  options.varying_noise = model.kind == ModelKind::varying_noise;
  options.outputs = model.targets.columns();
  options.members = model.members.size();
  options.precision = network.precision;
  options.training.seed = network.seed;
  return options;
}

constexpr auto kKinds = {ModelKind::regressor, ModelKind::varying_noise};

std::unique_ptr<RegressorState> state_of(FittedModel model) {
  auto out = std::make_unique<RegressorState>();
  out->options = options_of(model);
  out->fitted = std::move(model);
  return out;
}

}  // namespace

Regressor::Regressor(std::unique_ptr<RegressorState> state) : state_(std::move(state)) {}

Regressor Regressor::load(const std::string& path) {
  FittedModel model = read_model(path, kKinds);
  return Regressor(state_of(std::move(model)));
}

Regressor Regressor::load(std::istream& from) {
  FittedModel model = read_model(from, kKinds);
  return Regressor(state_of(std::move(model)));
}

const RegressorOptions& Regressor::options() const { return state_->options; }

void Regressor::use_threads(unsigned threads) {
  if (threads == 0) reject("threads", threads, "must be at least 1");
  state_->options.training.threads = threads;
}

std::size_t Regressor::inputs() const {
  return state_->fitted ? state_->fitted->inputs.columns() : 0;
}

std::size_t Regressor::members() const {
  return state_->fitted ? state_->fitted->members.size() : 0;
}

const Network& Regressor::network(std::size_t member) const {
  return expect_fitted(*state_).member(member).network;
}

const std::vector<double>& Regressor::noise_variance(std::size_t member) const {
  return expect_fitted(*state_).member(member).noise_variance;
}

std::vector<ColumnScale> Regressor::input_scales() const {
  return expect_fitted(*state_).inputs.by_column();
}

std::vector<ColumnScale> Regressor::target_scales() const {
  return expect_fitted(*state_).targets.by_column();
}

std::vector<double> Regressor::standardised_inputs(std::span<const double> inputs) const {
  return postrider::standardised_inputs(expect_fitted(*state_).inputs, inputs);
}

std::vector<double> Regressor::standardised_targets(std::span<const double> targets) const {
  return expect_fitted(*state_).targets.standardised(targets);
}

}  // namespace postrider
