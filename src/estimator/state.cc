#include "estimator/state.h"

#include <cmath>

#include "base/access.h"
#include "estimator/dense.h"
#include "estimator/option_table.h"
#include "estimator/unusable.h"
#include "postrider/error.h"
#include "postrider/estimator.h"
#include "postrider/fleet.h"
#include "train/targets.h"

namespace postrider::internal {
namespace {

std::vector<ModelKind> kinds_of(OptionInfo::Scope targets) {
  if (targets == OptionInfo::Scope::classes) return {ModelKind::classifier};
  return {ModelKind::regressor, ModelKind::varying_noise};
}

std::unique_ptr<EstimatorState> state_of(StoredModel stored, OptionInfo::Scope targets) {
  auto out = std::make_unique<EstimatorState>(stored.options, targets);
  out->fitted = std::move(stored.model);
  return out;
}

}  // namespace

EstimatorState& inside_of(Estimator& estimator) { return Access::inside(estimator); }
const EstimatorState& inside_of(const Estimator& estimator) { return Access::inside(estimator); }

std::vector<const NetworkState*> states_of(const FittedModel& model) {
  std::vector<const NetworkState*> out;
  for (const Member& member : model.members) out.push_back(&inside_of(member.network));
  return out;
}

std::shared_ptr<Workers> EstimatorState::shared_workers() const {
  const std::scoped_lock lock(starting_);
  if (!workers_) workers_ = std::make_shared<Workers>(resolved_threads(options.training.threads));
  return workers_;
}

void EstimatorState::use_threads(unsigned threads) {
  const std::scoped_lock lock(starting_);
  if (threads == options.training.threads) return;
  options.training.threads = threads;
  workers_.reset();
}

std::shared_ptr<const EnsemblePrediction> EstimatorState::shared_prediction() const {
  const FittedModel& model = expect_fitted();
  const std::scoped_lock lock(starting_);
  if (!prediction_) prediction_ = std::make_shared<const EnsemblePrediction>(states_of(model));
  return prediction_;
}

void EstimatorState::forget_prediction() {
  const std::scoped_lock lock(starting_);
  prediction_.reset();
}

const FittedModel& EstimatorState::expect_fitted() const {
  if (fitted) return *fitted;
  throw NotFitted(targets == OptionInfo::Scope::classes
                      ? "this classifier has not learned anything yet: call fit() first"
                      : "this regressor has not learned anything yet: call fit() first");
}

ModelKind EstimatorState::kind() const {
  if (targets == OptionInfo::Scope::classes) return ModelKind::classifier;
  return options.varying_noise ? ModelKind::varying_noise : ModelKind::regressor;
}

namespace {

void expect_groups(std::span<const std::uint32_t> groups, std::size_t rows) {
  if (!groups.empty() && groups.size() != rows)
    reject("groups", groups.size(), "must be one for each row, or none");
}

void expect_whole_numbers(std::span<const double> labels) {
  for (const double label : labels)
    if (!(label >= 0 && label == std::floor(label)))
      reject("labels", label, "must be class numbers from 0");
}

}  // namespace

Examples numeric_examples(const Inputs& inputs, std::span<const double> targets,
                          std::span<const double> sample_weights, std::size_t outputs,
                          std::span<const std::uint32_t> groups) {
  if (targets.empty() || targets.size() % outputs != 0)
    reject("targets", targets.size(), "must be a whole number of rows, at least one");
  const std::size_t rows = targets.size() / outputs;
  const Inputs shaped = rows_of_inputs(inputs, rows, "targets");
  expect_finite("targets", targets);
  expect_weights(sample_weights, rows);
  expect_groups(groups, rows);
  return {shaped, targets, sample_weights, groups};
}

Examples class_examples(const Inputs& inputs, std::span<const double> labels,
                        std::span<const double> sample_weights,
                        std::span<const std::uint32_t> groups) {
  if (labels.empty()) reject("labels", labels.size(), "must hold at least one row");
  const Inputs shaped = rows_of_inputs(inputs, labels.size(), "labels");
  expect_whole_numbers(labels);
  expect_weights(sample_weights, labels.size());
  expect_groups(groups, labels.size());
  return {shaped, labels, sample_weights, groups};
}

Examples sound_examples(const Examples& examples, OptionInfo::Scope targets, std::size_t outputs) {
  return targets == OptionInfo::Scope::classes
             ? class_examples(examples.inputs, examples.targets, examples.sample_weights,
                              examples.groups)
             : numeric_examples(examples.inputs, examples.targets, examples.sample_weights, outputs,
                                examples.groups);
}

SparseInputs encoded_inputs(const FittedModel& model, const Inputs& inputs) {
  expect_near(model.inputs, inputs);
  return model.encoding.encoded(inputs);
}

std::unique_ptr<EstimatorState> load_state(const std::string& path, OptionInfo::Scope targets) {
  return state_of(read_model(path, kinds_of(targets)), targets);
}

std::unique_ptr<EstimatorState> load_state(std::istream& from, OptionInfo::Scope targets) {
  return state_of(read_model(from, kinds_of(targets)), targets);
}

}  // namespace postrider::internal
