// The inside of a Regressor or Classifier: options, the fitted model, and how it goes on learning.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "base/workers.h"
#include "estimator/model_file.h"
#include "network/ensemble_prediction.h"
#include "postrider/estimator_options.h"
#include "postrider/inputs.h"

namespace postrider {

class Estimator;

namespace internal {

class EstimatorState {
 public:
  EstimatorState(const EstimatorOptions& estimator_options, OptionInfo::Scope estimator_targets)
      : options(estimator_options), targets(estimator_targets) {
    if (options.noise_std.empty()) return;
    options.varying_noise =
        false;  // noise that is known is the same everywhere, in the target's own unit
    options.target_scale = EstimatorOptions::TargetScale::plain;
  }

  EstimatorOptions options;
  OptionInfo::Scope targets;  // numeric, or classes
  std::optional<FittedModel> fitted;
  std::optional<MemberStreams> streams;  // of partial_fit

  // What predictions are spread over; started when first needed, and kept.
  std::shared_ptr<Workers> shared_workers() const;
  void use_threads(unsigned threads);

  // Predicts with the fitted model's members; made when first needed, and kept until beliefs change.
  std::shared_ptr<const EnsemblePrediction> shared_prediction() const;  // throws NotFitted
  void forget_prediction();

  const FittedModel& expect_fitted() const;  // throws NotFitted
  ModelKind kind() const;

 private:
  mutable std::mutex starting_;
  mutable std::shared_ptr<Workers> workers_;
  mutable std::shared_ptr<const EnsemblePrediction> prediction_;
};

EstimatorState& inside_of(Estimator& estimator);
const EstimatorState& inside_of(const Estimator& estimator);

// While it lives the beliefs may change: what was made of them before is no longer used, nor what somebody
// made of them meanwhile.
class BeliefChange {
 public:
  explicit BeliefChange(EstimatorState& state) : state_(state) { state_.forget_prediction(); }
  ~BeliefChange() { state_.forget_prediction(); }
  BeliefChange(const BeliefChange&) = delete;
  BeliefChange& operator=(const BeliefChange&) = delete;

 private:
  EstimatorState& state_;
};

// The networks of its members.
std::vector<const NetworkState*> states_of(const FittedModel& model);

// Rows of these targets, with their shape. Throw InvalidArgument if they make no sense.
Examples numeric_examples(const Inputs& inputs, std::span<const double> targets,
                          std::span<const double> sample_weights, std::size_t outputs,
                          std::span<const std::uint32_t> groups = {});
Examples class_examples(const Inputs& inputs, std::span<const double> labels,
                        std::span<const double> sample_weights,
                        std::span<const std::uint32_t> groups = {});
// The one or the other, for a model with these options.
Examples sound_examples(const Examples& examples, OptionInfo::Scope targets, std::size_t outputs);

// Learns such rows, epoch after epoch, in place of what was known.
std::vector<FitReport> fit(EstimatorState& state, const Examples& rows,
                           const TrainingCallbacks& callbacks);
// Learns them each once, after what is known.
StreamReport partial_fit(EstimatorState& state, const Examples& rows);

// Rows of the columns learned, as the networks see them. Throws InvalidArgument if a value is infinite or far from
// all that was learned.
SparseInputs encoded_inputs(const FittedModel& model, const Inputs& inputs);

// As users see them.
std::vector<Estimator::ColumnScale> column_scales(const Scales& scales);

// A network that was narrowed for few rows although those learned since would fill a wider one.
bool is_too_narrow(const EstimatorOptions& options, const FittedModel& model);

// Reads a file. Throws FileError or CorruptFile, also if it holds another kind of estimator.
std::unique_ptr<EstimatorState> load_state(const std::string& path, OptionInfo::Scope targets);
std::unique_ptr<EstimatorState> load_state(std::istream& from, OptionInfo::Scope targets);

}  // namespace internal
}  // namespace postrider
