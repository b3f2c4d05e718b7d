#include "postrider/estimator.h"

#include <cmath>

#include "estimator/dense.h"
#include "estimator/state.h"
#include "estimator/unusable.h"
#include "postrider/error.h"

namespace postrider {
using namespace internal;

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

std::optional<OutOfFoldScore> Estimator::out_of_fold_score() const {
  return state_->fitted ? state_->fitted->out_of_fold : std::nullopt;
}

const network::Network& Estimator::network(std::size_t member) const {
  return state_->expect_fitted().member(member).network;
}

const std::vector<double>& Estimator::noise_variance(std::size_t member) const {
  return state_->expect_fitted().member(member).noise_variance;
}

std::vector<ColumnScale> Estimator::input_scales() const {
  return state_->expect_fitted().inputs.by_column();
}

const std::vector<ColumnEncoding>& Estimator::encodings() const {
  return state_->expect_fitted().encoding.columns();
}

std::vector<NetworkInput> Estimator::network_inputs() const {
  const InputEncoding& encoding = state_->expect_fitted().encoding;
  std::vector<NetworkInput> out;
  for (std::size_t k = 0; k < encoding.inputs(); ++k)
    out.push_back(
        {encoding.column_of(k), encoding.unit() * std::sqrt(encoding.typical_variances()[k])});
  return out;
}

EncodedRows Estimator::encoded_inputs(const Inputs& inputs) const {
  return internal::encoded_inputs(state_->expect_fitted(), inputs);
}

std::vector<UnusableNumber> Estimator::unusable_inputs(const Inputs& inputs) const {
  return internal::unusable_inputs(state_->expect_fitted().inputs, inputs);
}

std::vector<UnusableNumber> Estimator::unusable_targets(std::span<const double> targets) const {
  const FittedModel& model = state_->expect_fitted();
  if (model.kind == ModelKind::classifier) return {};
  return internal::unusable_targets(model.targets, targets);
}

bool Estimator::is_too_narrow() const {
  return internal::is_too_narrow(state_->options, state_->expect_fitted());
}

}  // namespace postrider
