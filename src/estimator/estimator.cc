#include "postrider/estimator.h"

#include <algorithm>
#include <cmath>

#include "estimator/dense.h"
#include "estimator/learned_shape.h"
#include "estimator/model_options.h"
#include "estimator/state.h"
#include "estimator/unusable.h"
#include "postrider/error.h"
#include "postrider/network/network.h"
#include "postrider/time_budget.h"

namespace postrider {
using namespace internal;

std::vector<Estimator::ColumnScale> internal::column_scales(const Scales& scales) {
  std::vector<Estimator::ColumnScale> out;
  for (std::size_t c = 0; c < scales.columns(); ++c)
    out.push_back({scales.mean[c], scales.deviation[c]});
  return out;
}

Estimator::Estimator(std::unique_ptr<EstimatorState> state) : state_(std::move(state)) {}
Estimator::~Estimator() = default;
Estimator::Estimator(Estimator&&) noexcept = default;
Estimator& Estimator::operator=(Estimator&&) noexcept = default;

void Estimator::save(const std::string& path,
                     const std::map<std::string, std::string>& notes) const {
  write_model(path, state_->expect_fitted(), state_->options, notes);
}

void Estimator::save(std::ostream& to, const std::map<std::string, std::string>& notes) const {
  write_model(to, state_->expect_fitted(), state_->options, notes);
}

const std::map<std::string, std::string>& Estimator::notes() const {
  return state_->expect_fitted().notes;
}

const EstimatorOptions& Estimator::options() const { return state_->options; }

void Estimator::use_threads(unsigned threads) { state_->use_threads(threads); }

std::size_t Estimator::inputs() const {
  return state_->fitted ? state_->fitted->inputs.columns() : 0;
}

std::size_t Estimator::ensemble_size() const {
  return state_->fitted ? state_->fitted->members.size() : 0;
}

std::size_t Estimator::rows_learned() const {
  return state_->fitted ? state_->fitted->rows_learned : 0;
}

std::vector<FitReport> Estimator::fit(const Examples& examples,
                                      const TrainingCallbacks& callbacks) {
  const BeliefChange change(*state_);
  return internal::fit(*state_, sound_examples(examples, state_->targets, options().outputs),
                       callbacks);
}

StreamReport Estimator::partial_fit(const Examples& examples) {
  const BeliefChange change(*state_);
  return internal::partial_fit(*state_,
                               sound_examples(examples, state_->targets, options().outputs));
}

std::size_t Estimator::neighbour_rows() const {
  if (!state_->fitted || !state_->fitted->learned_shape) return 0;
  const ResidualNeighbours* neighbours = state_->fitted->learned_shape->neighbours();
  return neighbours ? neighbours->rows().rows() : 0;
}

std::optional<Estimator::OutOfFoldScore> Estimator::out_of_fold_score() const {
  return state_->fitted ? state_->fitted->out_of_fold : std::nullopt;
}

const network::Network& Estimator::network(std::size_t member) const {
  return state_->expect_fitted().member(member).network;
}

const std::vector<double>& Estimator::noise_variance(std::size_t member) const {
  return state_->expect_fitted().member(member).noise_variance;
}

std::vector<Estimator::ColumnScale> Estimator::input_scales() const {
  return column_scales(state_->expect_fitted().inputs);
}

const std::vector<ColumnEncoding>& Estimator::encodings() const {
  return state_->expect_fitted().encoding.columns();
}

std::vector<Estimator::NetworkInput> Estimator::network_inputs() const {
  const InputEncoding& encoding = state_->expect_fitted().encoding;
  std::vector<Estimator::NetworkInput> out;
  for (std::size_t k = 0; k < encoding.inputs(); ++k)
    out.push_back(
        {encoding.column_of(k), encoding.unit() * std::sqrt(encoding.typical_variances()[k])});
  return out;
}

SparseInputs Estimator::encoded_inputs(const Inputs& inputs) const {
  return internal::encoded_inputs(state_->expect_fitted(), inputs);
}

std::vector<Estimator::UnusableNumber> Estimator::unusable_inputs(const Inputs& inputs) const {
  return internal::unusable_inputs(state_->expect_fitted().inputs, inputs);
}

std::vector<Estimator::UnusableNumber> Estimator::unusable_targets(
    std::span<const double> targets) const {
  const FittedModel& model = state_->expect_fitted();
  if (model.kind == ModelKind::classifier) return {};
  return internal::unusable_targets(model.targets, targets);
}

bool Estimator::is_too_narrow() const {
  return internal::is_too_narrow(state_->options, state_->expect_fitted());
}

// --- How long training takes, before it begins.

namespace {

// seconds = exp(kLog) (rows min(weights, kMostWeights))^kPower for sixteen networks, by least squares over logarithms
// (bench/time_to_model/expected.py). The power is below 1, since more rows need fewer epochs; so do large networks, whose rows share messages.
constexpr double kLog = -5.97, kPower = 0.547;
constexpr std::size_t kMostWeights = 2000;
// So many networks fill a vector; fewer take as long.
constexpr std::size_t kSideBySide = 16;

// Beside the standard effort: no race of encodings and less patience, or twice of both.
double share_of(TrainerOptions::Effort effort) {
  if (effort == TrainerOptions::Effort::quick) return 1.0 / 6;
  return effort == TrainerOptions::Effort::thorough ? 2 : 1;
}

}  // namespace

double expected_seconds(const EstimatorOptions& options, std::size_t rows, std::size_t inputs,
                        std::size_t outputs) {
  const std::vector<std::size_t> hidden =
      widths_for(options.hidden, inputs, outputs, rows, options.weights_per_example);
  const std::size_t weights = network::NetworkOptions::dense(inputs, hidden, outputs).weights();
  const std::size_t packs =
      std::max<std::size_t>(1, (options.ensemble_size + kSideBySide - 1) / kSideBySide);
  const double work =
      static_cast<double>(rows) * static_cast<double>(std::min(weights, kMostWeights));
  return std::exp(kLog) * std::pow(work, kPower) * static_cast<double>(packs) *
         share_of(options.training.effort);
}

}  // namespace postrider
