#include "sparse/owner.h"

#include <array>
#include <bit>

#include "postrider/error.h"
#include "sparse/learning.h"
#include "sparse/shared_sums.h"

namespace postrider::sparse {
using namespace internal;
namespace {

constexpr std::array<std::int64_t, hashed::kMostLanes> kNothing{1, 1, 1, 1, 1, 1, 1, 1};

std::span<const std::int64_t> nothing(std::size_t lanes) { return {kNothing.data(), lanes}; }

}  // namespace

SparseOwner::State::State(const SparseOptions& with, const SparseUnits& of)
    : options(with), units(of), models(0), sums(1) {
  const auto fresh = hashed::spread_state(options, units);
  prior.assign(fresh->linear.prior().begin(), fresh->linear.prior().end());
  shared = hashed::no_sums(*fresh);
  models = hashed::bits_of(shared);
  sums = hashed::SumTable(fresh->bank.lanes);
}

hashed::WeightUnits SparseOwner::State::grid() const {
  std::vector<float> of_lanes;
  for (const std::size_t lane : hashed::lanes_in(models)) of_lanes.push_back(prior[lane]);
  return hashed::WeightUnits(of_lanes);
}

void SparseOwner::State::keep(std::uint64_t bits) {
  const std::vector<std::size_t> had = hashed::lanes_in(models), kept = hashed::lanes_in(bits);
  hashed::SumTable narrow(kept.size());
  sums.for_each([&](std::uint64_t key, const std::int64_t* from) {
    std::int64_t* const to = narrow.find_or_add(key, nothing(kept.size())).beliefs;
    for (std::size_t k = 0, old = 0; k < kept.size(); ++k) {
      while (had[old] != kept[k]) ++old;
      to[k] = from[old];
      to[kept.size() + k] = from[had.size() + old];
    }
  });
  sums = std::move(narrow);
  models = bits;
}

SparseOwner::SparseOwner(const SparseOptions& options, const SparseUnits& units)
    : state_(std::make_unique<State>(options, units)) {}
SparseOwner::SparseOwner(std::unique_ptr<State> state) : state_(std::move(state)) {}
SparseOwner::~SparseOwner() = default;
SparseOwner::SparseOwner(SparseOwner&&) noexcept = default;
SparseOwner& SparseOwner::operator=(SparseOwner&&) noexcept = default;

std::size_t SparseOwner::size() const { return state_->sums.size(); }
std::size_t SparseOwner::bytes() const { return state_->sums.bytes(); }
std::uint64_t SparseOwner::models() const { return state_->models; }
const SparseSums& SparseOwner::shared() const { return state_->shared; }
const std::string& SparseOwner::note() const { return state_->note; }

SparseSummary SparseOwner::summary() const {
  const auto model = hashed::spread_state(state_->options, state_->units);
  hashed::restore(state_->shared, *model);
  SparseSummary out = hashed::summary_of(*model);
  out.weights = size();
  out.bytes = out.most_bytes = bytes();
  return out;
}

std::vector<float> SparseOwner::beliefs(std::span<const std::uint64_t> keys) const {
  const hashed::WeightUnits grid = state_->grid();
  const std::size_t lanes = grid.lanes();
  std::vector<float> out(keys.size() * 2 * lanes);
  for (const std::uint64_t key : keys) state_->sums.prefetch(key);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::int64_t* const sums = state_->sums.find(keys[i]);
    float* const to = &out[i * 2 * lanes];
    for (std::size_t k = 0; k < lanes; ++k) {
      const std::int64_t tau = sums == nullptr ? 0 : sums[k];
      const std::int64_t rho = sums == nullptr ? 0 : sums[lanes + k] - 1;
      grid.belief(k, tau, rho, to[k], to[lanes + k]);
    }
  }
  return out;
}

void SparseOwner::keep(std::uint64_t models) {
  if (models == 0 || (models & ~state_->models) != 0 ||
      !std::has_single_bit(hashed::lanes_in(models).size()))
    reject("models", models, "must be bits of 1, 2, 4 or 8 models that are here");
  if (models != state_->models) state_->keep(models);
}

void SparseOwner::add(std::span<const std::uint64_t> keys, std::span<const std::int64_t> changes) {
  const std::size_t lanes = state_->sums.width(), stride = 2 * lanes;
  if (changes.size() != keys.size() * stride)
    reject(
        "changes", changes.size(),
        "must be a tau and a rho for each key and model, " + std::to_string(keys.size() * stride));
  // Looked at first, so that nothing is added of what is refused. A key comes once.
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::int64_t* const sums = state_->sums.find(keys[i]);
    for (std::size_t k = 0; k < stride; ++k) {
      const std::int64_t had = sums != nullptr ? sums[k] : k < lanes ? 0 : 1;
      std::int64_t sum = 0;
      if (__builtin_add_overflow(had, changes[i * stride + k], &sum) || (k >= lanes && sum < 1))
        reject("changes", static_cast<double>(changes[i * stride + k]),
               "must leave the sums whole numbers of 64 bits, and precisions at least the prior's");
    }
    if (i > 0 && keys[i] <= keys[i - 1]) reject("keys", keys[i], "must ascend");
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    std::int64_t* const sums = state_->sums.find_or_add(keys[i], nothing(lanes)).beliefs;
    for (std::size_t k = 0; k < stride; ++k) sums[k] += changes[i * stride + k];
  }
}

void SparseOwner::add_shared(const SparseSums& changes, std::size_t weights) {
  SparseSums& shared = state_->shared;
  if (changes.size() != shared.size())
    reject("changes", changes.size(),
           "must be as many as what is shared, " + std::to_string(shared.size()));
  const auto before = hashed::spread_state(state_->options, state_->units);
  hashed::restore(shared, *before);
  if (!hashed::add(changes, shared))
    throw InvalidArgument("changes: must leave the sums whole numbers of 64 bits");
  const auto after = hashed::spread_state(state_->options, state_->units);
  hashed::restore(shared, *after);
  const auto kept = hashed::lanes_to_keep(*after, before->rows, weights);
  if (!kept) return;
  const std::vector<std::size_t> lanes = hashed::lanes_in(hashed::bits_of(shared));
  std::uint64_t bits = 0;
  for (const std::size_t k : *kept) bits |= std::uint64_t{1} << lanes[k];
  hashed::keep_lanes(bits, shared);
}

}  // namespace postrider::sparse
