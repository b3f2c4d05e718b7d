#include "postrider/classifier.h"

#include <algorithm>

#include "estimator/dense.h"
#include "estimator/predictive.h"
#include "estimator/state.h"
#include "postrider/error.h"

namespace postrider {
using namespace internal;
namespace {

// Class numbers as the networks are told them.
std::vector<double> targets_of(std::span<const std::size_t> labels) {
  return {labels.begin(), labels.end()};
}

}  // namespace

Classifier::Classifier(const EstimatorOptions& options)
    : Estimator(std::make_unique<EstimatorState>(options, OptionInfo::Scope::classes)) {
  options.validate_for(OptionInfo::Scope::classes);
}
Classifier::Classifier(std::unique_ptr<EstimatorState> state) : Estimator(std::move(state)) {}

std::vector<FitReport> Classifier::fit(const Inputs& inputs, std::span<const std::size_t> labels,
                                       std::span<const double> sample_weights,
                                       const TrainingCallbacks& callbacks,
                                       std::span<const std::uint32_t> groups) {
  const std::vector<double> targets = targets_of(labels);
  const BeliefChange change(*state_);
  return internal::fit(*state_, class_examples(inputs, targets, sample_weights, groups), callbacks);
}

StreamReport Classifier::partial_fit(const Inputs& inputs, std::span<const std::size_t> labels,
                                     std::span<const double> sample_weights) {
  const std::vector<double> targets = targets_of(labels);
  const BeliefChange change(*state_);
  return internal::partial_fit(*state_, class_examples(inputs, targets, sample_weights));
}

std::vector<double> Classifier::predict_probabilities(const Inputs& inputs) const {
  const FittedModel& model = state_->expect_fitted();
  const SparseInputs rows = internal::encoded_inputs(model, inputs);
  return predicted_probabilities(model, *state_->shared_prediction(), rows,
                                 *state_->shared_workers());
}

std::vector<std::size_t> Classifier::predict(const Inputs& inputs) const {
  const std::vector<double> probabilities = predict_probabilities(inputs);
  const auto count = static_cast<std::ptrdiff_t>(classes());
  std::vector<std::size_t> out;
  for (auto row = probabilities.begin(); row != probabilities.end(); row += count)
    out.push_back(static_cast<std::size_t>(std::max_element(row, row + count) - row));
  return out;
}

std::size_t Classifier::classes() const {
  return state_->fitted ? network::classes_of(state_->fitted->shape().outputs()) : 0;
}

double Classifier::temperature() const { return state_->expect_fitted().temperature; }

Classifier Classifier::load(const std::string& path) {
  return Classifier(load_state(path, OptionInfo::Scope::classes));
}

Classifier Classifier::load(std::istream& from) {
  return Classifier(load_state(from, OptionInfo::Scope::classes));
}

}  // namespace postrider
