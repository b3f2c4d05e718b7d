#include "postrider/classifier.h"

#include <algorithm>
#include <optional>

#include "data/standardise.h"
#include "estimator/calibration.h"
#include "estimator/capacity.h"
#include "estimator/dense.h"
#include "estimator/model_file.h"
#include "postrider/error.h"
#include "train/targets.h"

namespace postrider {

class ClassifierState {
 public:
  ClassifierOptions options;
  std::optional<FittedModel> fitted;
  std::vector<Trainer> streams;  // of partial_fit, one per member
};

namespace {

// More classes than this must be asked for: a label beyond it is more likely a mistake.
constexpr std::size_t kMostInferred = 10000;

// Two classes need one score only.
std::size_t outputs_for(std::size_t classes) { return classes == 2 ? 1 : classes; }

DenseShape shape_for(const ClassifierOptions& options, const std::vector<std::size_t>& hidden) {
  return {hidden, options.activation, options.slope, options.precision, options.training.seed};
}

const FittedModel& expect_fitted(const ClassifierState& state) {
  if (!state.fitted)
    throw NotFitted("this classifier has not learned anything yet: call fit() first");
  return *state.fitted;
}

std::size_t classes_in(const FittedModel& model) { return classes_of(model.shape().outputs()); }

std::size_t columns_of(std::span<const double> inputs, std::span<const std::size_t> labels) {
  if (labels.empty()) reject("labels", labels.size(), "must hold at least one row");
  return input_columns(inputs, labels.size(), "labels");
}

void expect_labels(std::span<const std::size_t> labels, std::size_t classes) {
  for (const std::size_t label : labels)
    if (label >= classes)
      reject("labels", label,
             "must be below the number of classes, " + std::to_string(classes) +
                 ", which the options or the first rows say");
}

std::size_t inferred_classes(std::span<const std::size_t> labels) {
  const std::size_t largest = *std::ranges::max_element(labels);
  if (largest >= kMostInferred)
    reject("labels", largest,
           "must be class numbers from 0; set options.classes if there are more than " +
               std::to_string(kMostInferred));
  return std::max<std::size_t>(2, largest + 1);
}

// For so many rows, or for a stream: of that, no telling how many will come.
FittedModel untrained(const ClassifierOptions& options, std::span<const double> inputs,
                      std::span<const std::size_t> labels, std::span<const double> weights,
                      bool is_stream) {
  const std::size_t columns = columns_of(inputs, labels);
  expect_weights(weights, labels.size());
  const std::size_t classes = options.classes > 0 ? options.classes : inferred_classes(labels);
  expect_labels(labels, classes);
  const std::size_t rows = effective_rows(labels.size(), weights), outputs = outputs_for(classes);
  const std::vector<std::size_t> hidden = widths_for(options.hidden, columns, outputs, rows,
                                                     is_stream ? 0 : options.weights_per_example);
  const std::size_t members =
      is_stream ? std::max<std::size_t>(1, options.members) : members_for(options.members, rows);
  return {ModelKind::classifier,
          untrained_members(members, shape_for(options, hidden), columns, outputs),
          scales_of(inputs, columns, weights),
          {}};
}

TrainerOptions training_options(const ClassifierOptions& options, double power) {
  TrainerOptions out = options.training;
  out.power = power;
  out.likelihood = Likelihood::classes;
  return out;
}

void learn_more(ClassifierState& state, std::span<const double> inputs,
                std::span<const std::size_t> labels, std::span<const double> weights) {
  FittedModel& model = *state.fitted;
  if (columns_of(inputs, labels) != model.inputs.columns())
    reject("inputs", inputs.size(), "must have as many columns as the rows learned before");
  expect_labels(labels, classes_in(model));
  expect_weights(weights, labels.size());
  if (state.streams.empty())
    state.streams = streams_of(model.members,
                               training_options(state.options, stream_power(state.options.power)));
  const std::vector<double> x = postrider::standardised_inputs(model.inputs, inputs);
  learn_stream(state.streams, model.members, {x}, std::vector<double>(labels.begin(), labels.end()),
               weights);
}

}  // namespace

void ClassifierOptions::validate() const {
  if (classes == 1) reject("classes", classes, "must be at least 2, or 0 to infer it");
  training.validate();
  expect_weights_per_example(weights_per_example);
  expect_power(power, training);
  if (!(calibration_share >= 0 && calibration_share <= 0.5))
    reject("calibration_share", calibration_share, "must lie between 0 and 0.5");
  const std::size_t outputs = outputs_for(std::max<std::size_t>(2, classes));
  dense_network(shape_for(*this, hidden), 1, outputs).validate();
}

Classifier::Classifier(const ClassifierOptions& options)
    : state_(std::make_unique<ClassifierState>()) {
  options.validate();
  state_->options = options;
}
Classifier::~Classifier() = default;
Classifier::Classifier(Classifier&&) noexcept = default;
Classifier& Classifier::operator=(Classifier&&) noexcept = default;

std::vector<FitReport> Classifier::fit(std::span<const double> inputs,
                                       std::span<const std::size_t> labels,
                                       std::span<const double> weights) {
  const ClassifierOptions& options = state_->options;
  FittedModel model = untrained(options, inputs, labels, weights, /*is_stream=*/false);
  const std::size_t outputs = model.shape().outputs();
  const CalibrationSplit split(model.inputs.standardised(inputs), labels, weights,
                               options.calibration_share, options.training.seed);
  const double power = power_for(options.power, model.members.front().network.weight_count(),
                                 effective_rows(labels.size(), weights));
  const TrainerOptions training = training_options(options, power);
  std::vector<FitReport> reports = fit_members(model.members, training, {split.learned.inputs},
                                               split.learned.targets(), split.learned.weights);
  model.temperature = temperature_of(model.members, outputs, split.kept_back, training.threads);
  state_->streams.clear();
  state_->fitted = std::move(model);
  return reports;
}

void Classifier::partial_fit(std::span<const double> inputs, std::span<const std::size_t> labels,
                             std::span<const double> weights) {
  const bool is_first = !state_->fitted;
  if (is_first)
    state_->fitted = untrained(state_->options, inputs, labels, weights, /*is_stream=*/true);
  try {
    learn_more(*state_, inputs, labels, weights);
  } catch (...) {
    // Rows that were refused must not fix the scales.
    if (is_first) {
      state_->streams.clear();
      state_->fitted.reset();
    }
    throw;
  }
}

std::vector<double> Classifier::predict_probabilities(std::span<const double> inputs) const {
  const FittedModel& model = expect_fitted(*state_);
  const unsigned threads = state_->options.training.threads;
  const std::vector<double> x = postrider::standardised_inputs(model.inputs, inputs);
  std::vector<double> out(inputs.size() / model.inputs.columns() * classes_in(model));
  const double share = 1 / static_cast<double>(model.members.size());
  for (const Member& member : model.members) {
    const std::vector<double> own =
        class_probabilities(member.network.predict({x}, threads), model.shape().outputs(),
                            member.noise_variance.front(), threads, model.temperature);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += share * own[i];
  }
  return out;
}

std::vector<std::size_t> Classifier::predict(std::span<const double> inputs) const {
  const std::vector<double> probabilities = predict_probabilities(inputs);
  const auto classes = static_cast<std::ptrdiff_t>(classes_in(*state_->fitted));
  std::vector<std::size_t> out;
  for (auto row = probabilities.begin(); row != probabilities.end(); row += classes)
    out.push_back(static_cast<std::size_t>(std::max_element(row, row + classes) - row));
  return out;
}

void Classifier::save(const std::string& path,
                      const std::map<std::string, std::string>& notes) const {
  write_model(path, expect_fitted(*state_), notes);
}

void Classifier::save(std::ostream& to, const std::map<std::string, std::string>& notes) const {
  write_model(to, expect_fitted(*state_), notes);
}

const std::map<std::string, std::string>& Classifier::notes() const {
  return expect_fitted(*state_).notes;
}

namespace {

// What the options of such a model would have been, as far as it tells.
ClassifierOptions options_of(const FittedModel& model) {
  const DenseShape shape = shape_of(model.shape());
  ClassifierOptions options{.hidden = shape.hidden,
                            .classes = classes_in(model),
                            .members = model.members.size(),
                            .activation = shape.activation,
                            .slope = shape.slope,
                            .precision = shape.precision};
  options.training.seed = shape.seed;
  return options;
}

std::unique_ptr<ClassifierState> state_of(FittedModel model) {
  auto out = std::make_unique<ClassifierState>();
  out->options = options_of(model);
  out->fitted = std::move(model);
  return out;
}

}  // namespace

Classifier::Classifier(std::unique_ptr<ClassifierState> state) : state_(std::move(state)) {}

Classifier Classifier::load(const std::string& path) {
  FittedModel model = read_model(path, {ModelKind::classifier});
  return Classifier(state_of(std::move(model)));
}

Classifier Classifier::load(std::istream& from) {
  FittedModel model = read_model(from, {ModelKind::classifier});
  return Classifier(state_of(std::move(model)));
}

const ClassifierOptions& Classifier::options() const { return state_->options; }

void Classifier::use_threads(unsigned threads) {
  if (threads == 0) reject("threads", threads, "must be at least 1");
  state_->options.training.threads = threads;
}

std::size_t Classifier::inputs() const {
  return state_->fitted ? state_->fitted->inputs.columns() : 0;
}

std::size_t Classifier::classes() const { return state_->fitted ? classes_in(*state_->fitted) : 0; }

std::size_t Classifier::members() const {
  return state_->fitted ? state_->fitted->members.size() : 0;
}

double Classifier::noise_variance(std::size_t member) const {
  return expect_fitted(*state_).member(member).noise_variance.front();
}

double Classifier::temperature() const { return expect_fitted(*state_).temperature; }

const Network& Classifier::network(std::size_t member) const {
  return expect_fitted(*state_).member(member).network;
}

std::vector<ColumnScale> Classifier::input_scales() const {
  return expect_fitted(*state_).inputs.by_column();
}

std::vector<double> Classifier::standardised_inputs(std::span<const double> inputs) const {
  return postrider::standardised_inputs(expect_fitted(*state_).inputs, inputs);
}

}  // namespace postrider
