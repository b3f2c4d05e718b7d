// Rows that are learned from beliefs of elsewhere.
#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "data/cell_columns.h"
#include "postrider/error.h"
#include "postrider/sparse/shards.h"
#include "sparse/learning.h"
#include "sparse/shared_sums.h"

namespace postrider::sparse {
using namespace internal;

using hashed::WeightUnits;

void SparseBatch::Units::validate() const {
  const auto expect = [](const char* name, double value) {
    if (!(value > 0 && std::isfinite(value)))
      reject(name, value, "must be a finite number above 0");
  };
  expect("input_square", input_square);
  expect("unit", unit);
  if (!std::isfinite(location)) reject("location", location, "must be a finite number");
}

SparseBatch::Units sparse_units(const FeatureRows& rows, SparseOptions::Target target) {
  rows.validate(/*needs_targets=*/target == SparseOptions::Target::number);
  SparseModel::State state({.target = target});
  hashed::set_units(state, rows);
  double squares = 0;
  for (const float x : rows.values) squares += static_cast<double>(x) * static_cast<double>(x);
  const double mean = rows.values.empty() ? 0 : squares / static_cast<double>(rows.values.size());
  return {mean > 0 ? mean : 1, state.location, state.unit};
}

std::size_t owner_of(std::uint64_t key, std::size_t owners) {
  return static_cast<std::size_t>(mixed_hash(key) % owners);
}

}  // namespace postrider::sparse

namespace postrider::internal {

namespace hashed {

std::unique_ptr<sparse::SparseModel::State> spread_state(const sparse::SparseOptions& options,
                                                         const sparse::SparseBatch::Units& units) {
  options.validate();
  units.validate();
  if (options.latent > 0)
    reject("latent", options.latent, "must be 0 where weights are spread over processes");
  if (options.drift) reject("drift", "yes", "must be off where weights are spread over processes");
  auto out = std::make_unique<sparse::SparseModel::State>(options);
  out->location = units.location;
  out->unit = units.unit;
  out->linear.squares = units.input_square;
  out->linear.inputs = 1;
  out->linear.set_prior(out->bank);
  return out;
}

}  // namespace hashed

}  // namespace postrider::internal

namespace postrider::sparse {

struct SparseBatch::State {
  SparseOptions options;
  SparseBatch::Units units;
  FeatureRows rows;
  std::vector<std::uint64_t> keys;
  std::vector<std::size_t> numbers;  // of each key of each row, its place among the keys

  // A model with these beliefs.
  std::unique_ptr<SparseModel::State> model(std::span<const float> beliefs,
                                            const SparseSums& shared) const {
    auto out = hashed::spread_state(options, units);
    if (!hashed::are_sums(shared, out->bank.lanes))
      throw InvalidArgument("shared: must be the sums of an owner of such a model");
    hashed::restore(shared, *out);
    const std::size_t lanes = out->bank.lanes;
    if (beliefs.size() != 2 * lanes * keys.size())
      reject("beliefs", beliefs.size(),
             "must be a mean and a variance for each key and model, " +
                 std::to_string(2 * lanes * keys.size()));
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const std::span<const float> of = beliefs.subspan(i * 2 * lanes, 2 * lanes);
      for (std::size_t k = 0; k < lanes; ++k)
        if (!(std::isfinite(of[k]) && of[lanes + k] > 0 && std::isfinite(of[lanes + k])))
          reject("beliefs", static_cast<double>(of[lanes + k]),
                 "must be finite means and variances above 0");
      const auto found = out->linear.weights.find_or_add(keys[i], of.subspan(lanes));
      std::copy_n(of.begin(), lanes, found.beliefs);
    }
    return out;
  }

  // All that the rows said of each weight, in units.
  std::vector<std::int64_t> summed(const std::vector<float>& messages,
                                   const WeightUnits& grid) const {
    const std::size_t lanes = grid.lanes(), stride = 2 * lanes;
    std::vector<double> sums(keys.size() * stride);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      for (std::size_t k = 0; k < stride; ++k)
        sums[numbers[i] * stride + k] += static_cast<double>(messages[i * stride + k]);
    std::vector<std::int64_t> out(sums.size());
    for (std::size_t i = 0; i < keys.size(); ++i)
      for (std::size_t k = 0; k < lanes; ++k) {
        const std::size_t tau = i * stride + k, rho = tau + lanes;
        if (!grid.round(k, sums[tau], sums[rho], out[tau], out[rho]))
          throw Error("what these rows say of a weight is too large to be added up");
      }
    return out;
  }
};

SparseBatch::SparseBatch(const SparseOptions& options, const SparseBatch::Units& units,
                         const FeatureRows& rows)
    : state_(std::make_unique<State>()) {
  rows.validate(/*needs_targets=*/!rows.targets.empty());
  if (!rows.targets.empty()) hashed::expect_targets(rows, options.target);
  hashed::spread_state(options, units);
  *state_ = {options, units, hashed::without_repeats(rows), {}, {}};
  std::vector<std::uint64_t>& keys = state_->keys;
  keys = state_->rows.keys;
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  for (const std::uint64_t key : state_->rows.keys)
    state_->numbers.push_back(
        static_cast<std::size_t>(std::lower_bound(keys.begin(), keys.end(), key) - keys.begin()));
}
SparseBatch::~SparseBatch() = default;
SparseBatch::SparseBatch(SparseBatch&&) noexcept = default;

const std::vector<std::uint64_t>& SparseBatch::keys() const { return state_->keys; }

SparseBatch::Changes SparseBatch::learn(std::span<const float> beliefs,
                                        const SparseSums& shared) const {
  state_->rows.validate(/*needs_targets=*/true);
  const auto model = state_->model(beliefs, shared);
  const auto before = hashed::spread_state(state_->options, state_->units);
  hashed::restore(shared, *before);
  const std::vector<float> prior(before->linear.prior().begin(), before->linear.prior().end());
  std::vector<float> messages;
  SparseBatch::Changes out;
  out.report = hashed::learn_with_messages(*model, state_->rows, messages);
  out.weights = state_->summed(messages, WeightUnits(prior));
  out.shared = hashed::learned_since(shared, *before, *model);
  return out;
}

std::vector<SparseModel::Prediction> SparseBatch::predict(std::span<const float> beliefs,
                                                          const SparseSums& shared) const {
  return hashed::predicted(*state_->model(beliefs, shared), state_->rows);
}

}  // namespace postrider::sparse
