#include "postrider/classifier.h"

#include <algorithm>
#include <optional>

#include "data/standardise.h"
#include "estimator/capacity.h"
#include "estimator/dense.h"
#include "estimator/model_file.h"
#include "postrider/error.h"

namespace postrider {

class ClassifierState {
 public:
  ClassifierOptions options;
  std::optional<FittedModel> fitted;
  std::optional<Trainer> stream;  // of partial_fit
};

namespace {

// More classes than this must be asked for: a label beyond it is more likely a mistake.
constexpr std::size_t kMostInferred = 10000;

// Two classes need one score only.
std::size_t outputs_for(std::size_t classes) { return classes == 2 ? 1 : classes; }

NetworkOptions network_options(const ClassifierOptions& options, std::size_t inputs,
                               std::size_t classes, const std::vector<std::size_t>& hidden) {
  return dense_network(
      {hidden, options.activation, options.slope, options.precision, options.training.seed}, inputs,
      outputs_for(classes));
}

const FittedModel& expect_fitted(const ClassifierState& state) {
  if (!state.fitted) throw Error("this classifier has not learned anything yet: call fit() first");
  return *state.fitted;
}

std::size_t classes_in(const FittedModel& model) {
  return classes_of(model.network.options().outputs());
}

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

FittedModel untrained(const ClassifierOptions& options, std::span<const double> inputs,
                      std::span<const std::size_t> labels, double weights_per_example) {
  const std::size_t columns = columns_of(inputs, labels);
  const std::size_t classes = options.classes > 0 ? options.classes : inferred_classes(labels);
  expect_labels(labels, classes);
  const std::vector<std::size_t> hidden =
      widths_for(options.hidden, columns, outputs_for(classes), labels.size(), weights_per_example);
  return {ModelKind::classifier,
          Network(network_options(options, columns, classes, hidden)),
          scales_of(inputs, columns),
          {},
          {}};
}

TrainerOptions training_options(const ClassifierOptions& options) {
  TrainerOptions out = options.training;
  out.likelihood = Likelihood::classes;
  return out;
}

void learn_more(ClassifierState& state, std::span<const double> inputs,
                std::span<const std::size_t> labels) {
  FittedModel& model = *state.fitted;
  if (columns_of(inputs, labels) != model.inputs.columns())
    reject("inputs", inputs.size(), "must have as many columns as the rows learned before");
  expect_labels(labels, classes_in(model));
  if (!state.stream) {
    TrainerOptions options = training_options(state.options);
    if (!model.noise_variance.empty()) options.noise_variance = model.noise_variance;
    state.stream.emplace(model.network, options);
  }
  const std::vector<double> x = model.inputs.standardised(inputs);
  state.stream->partial_fit({x}, std::vector<double>(labels.begin(), labels.end()));
  model.noise_variance = state.stream->noise_variance();
}

}  // namespace

void ClassifierOptions::validate() const {
  if (classes == 1) reject("classes", classes, "must be at least 2, or 0 to infer it");
  training.validate();
  expect_weights_per_example(weights_per_example);
  network_options(*this, 1, std::max<std::size_t>(2, classes), hidden).validate();
}

Classifier::Classifier(const ClassifierOptions& options)
    : state_(std::make_unique<ClassifierState>()) {
  options.validate();
  state_->options = options;
}
Classifier::~Classifier() = default;
Classifier::Classifier(Classifier&&) noexcept = default;
Classifier& Classifier::operator=(Classifier&&) noexcept = default;

FitReport Classifier::fit(std::span<const double> inputs, std::span<const std::size_t> labels) {
  FittedModel model =
      untrained(state_->options, inputs, labels, state_->options.weights_per_example);
  Trainer trainer(model.network, training_options(state_->options));
  const std::vector<double> x = model.inputs.standardised(inputs);
  FitReport report = trainer.fit({x}, std::vector<double>(labels.begin(), labels.end()));
  model.noise_variance = trainer.noise_variance();
  state_->stream.reset();
  state_->fitted = std::move(model);
  return report;
}

void Classifier::partial_fit(std::span<const double> inputs, std::span<const std::size_t> labels) {
  const bool is_first = !state_->fitted;
  // Of a stream, no telling how many rows will come.
  if (is_first) state_->fitted = untrained(state_->options, inputs, labels, 0);
  try {
    learn_more(*state_, inputs, labels);
  } catch (...) {
    // Rows that were refused must not fix the scales.
    if (is_first) {
      state_->stream.reset();
      state_->fitted.reset();
    }
    throw;
  }
}

std::vector<double> Classifier::predict_probabilities(std::span<const double> inputs) const {
  const FittedModel& model = expect_fitted(*state_);
  if (inputs.size() % model.inputs.columns() != 0)
    reject("inputs", inputs.size(), "must be a whole number of rows of the columns learned");
  const unsigned threads = state_->options.training.threads;
  const std::vector<double> x = model.inputs.standardised(inputs);
  return class_probabilities(model.network.predict({x}, threads), model.network.options().outputs(),
                             model.noise_variance.front(), threads);
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

const std::map<std::string, std::string>& Classifier::notes() const {
  return expect_fitted(*state_).notes;
}

Classifier Classifier::load(const std::string& path) {
  FittedModel model = read_model(path, {ModelKind::classifier});
  const DenseShape shape = shape_of(model.network.options());
  ClassifierOptions options{.hidden = shape.hidden,
                            .classes = classes_in(model),
                            .activation = shape.activation,
                            .slope = shape.slope,
                            .precision = shape.precision};
  options.training.seed = shape.seed;
  Classifier out(options);
  out.state_->fitted = std::move(model);
  return out;
}

const ClassifierOptions& Classifier::options() const { return state_->options; }

std::size_t Classifier::inputs() const {
  return state_->fitted ? state_->fitted->inputs.columns() : 0;
}

std::size_t Classifier::classes() const { return state_->fitted ? classes_in(*state_->fitted) : 0; }

double Classifier::noise_variance() const { return expect_fitted(*state_).noise_variance.front(); }

const Network& Classifier::network() const { return expect_fitted(*state_).network; }

}  // namespace postrider
