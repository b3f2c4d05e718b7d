#include "sparse/owner.h"

#include <algorithm>
#include <array>
#include <bit>

#include "data/safetensors.h"
#include "postrider/error.h"
#include "sparse/file_notes.h"
#include "sparse/learning.h"
#include "sparse/shared_sums.h"

namespace postrider::sparse {
using namespace internal;
namespace {

constexpr std::array<std::int64_t, hashed::kMostLanes> kNothing{1, 1, 1, 1, 1, 1, 1, 1};

std::span<const std::int64_t> nothing(std::size_t lanes) { return {kNothing.data(), lanes}; }

}  // namespace

SparseOwner::State::State(const SparseOptions& with, const SparseBatch::Units& of)
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

SparseOwner::SparseOwner(const SparseOptions& options, const SparseBatch::Units& units)
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

SparseModel::Summary SparseOwner::summary() const {
  const auto model = hashed::spread_state(state_->options, state_->units);
  hashed::restore(state_->shared, *model);
  SparseModel::Summary out = hashed::summary_of(*model);
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

// --- A SparseOwner as a safetensors file, and one model from those of all owners.

namespace {

constexpr const char* kOwnerFormat = "postrider sparse owner 1";

std::vector<std::uint64_t> as_unsigned(std::span<const std::int64_t> numbers) {
  return {numbers.begin(), numbers.end()};
}

class OwnerLoader {
 public:
  explicit OwnerLoader(const std::string& path)
      : file_(path), notes_(path, file_.metadata(), kOwnerFormat) {}

  const hashed::FileNotes& notes() const { return notes_; }

  SparseBatch::Units units() {
    std::vector<double> numbers(3);
    file_.read<double>("units", {numbers.size()}, numbers);
    return {numbers[0], numbers[1], numbers[2]};
  }

  void fill(SparseOwner::State& state) {
    state.note = notes_.text("note");
    SparseSums shared = numbers("shared", state.shared.size());
    if (!hashed::are_sums(shared, state.prior.size())) notes_.fail("its shared sums are none");
    const std::uint64_t models = notes_.whole("models");
    if (models == 0 || (models & ~state.models) != 0) notes_.fail("its models are none");
    state.shared = std::move(shared);
    state.keep(models);
    const std::size_t stride = 2 * state.sums.width();
    const std::vector<std::size_t> shape = file_.shape("weights.key");
    if (shape.size() != 2 || shape[1] != 2) notes_.fail("its keys are not pairs");
    const std::vector<std::int64_t> keys = numbers("weights.key", shape[0]),
                                    sums = numbers("weights.sum", shape[0] * stride);
    for (std::size_t i = 0; i < keys.size(); ++i) add(state, keys[i], &sums[i * stride], stride);
  }

 private:
  std::vector<std::int64_t> numbers(const std::string& name, std::size_t count) {
    std::vector<std::uint32_t> halves(2 * count);
    file_.read<std::uint32_t>(name, {count, 2}, halves);
    std::vector<std::int64_t> out(count);
    for (std::size_t i = 0; i < count; ++i)
      out[i] = static_cast<std::int64_t>(hashed::number_of(&halves[2 * i]));
    return out;
  }

  void add(SparseOwner::State& state, std::int64_t key, const std::int64_t* sums,
           std::size_t stride) const {
    const std::span rhos(sums + stride / 2, stride / 2);
    for (const std::int64_t rho : rhos)
      if (rho < 1) notes_.fail("a precision is below the prior's");
    const auto found = state.sums.find_or_add(static_cast<std::uint64_t>(key), rhos);
    if (!found.added) notes_.fail("a weight is there twice");
    std::copy_n(sums, stride, found.beliefs);
  }

  SafetensorsReader file_;
  hashed::FileNotes notes_;
};

}  // namespace

void SparseOwner::save(const std::string& path, const std::string& note) const {
  const State& state = *state_;
  hashed::Metadata metadata = hashed::notes_of(kOwnerFormat, state.options);
  metadata["models"] = std::to_string(state.models);
  metadata["note"] = note;
  std::vector<std::uint64_t> keys, sums;
  state.sums.for_each([&](std::uint64_t key, const std::int64_t* of) {
    keys.push_back(key);
    sums.insert(sums.end(), of, of + 2 * state.sums.width());
  });
  const std::vector<double> units{state.units.input_square, state.units.location, state.units.unit};
  const auto of_keys = hashed::halves_of(keys), of_sums = hashed::halves_of(sums),
             of_shared = hashed::halves_of(as_unsigned(state.shared));
  const auto pairs = [](const char* name, const std::vector<std::uint32_t>& halves) {
    return view_of<std::uint32_t>(name, {halves.size() / 2, 2},
                                  std::span<const std::uint32_t>(halves));
  };
  write_safetensors(
      path,
      {view_of<double>("units", {units.size()}, std::span<const double>(units)),
       pairs("shared", of_shared), pairs("weights.key", of_keys), pairs("weights.sum", of_sums)},
      metadata);
}

SparseOwner SparseOwner::load(const std::string& path) {
  OwnerLoader loader(path);
  try {
    auto state = std::make_unique<State>(loader.notes().options(), loader.units());
    loader.fill(*state);
    return SparseOwner(std::move(state));
  } catch (const InvalidArgument& error) {
    loader.notes().fail(error.what());
  }
}

namespace {

void expect_one_model(const SparseOwner::State& first, const SparseOwner::State& other,
                      const std::string& path) {
  const auto fail = [&](const char* what) {
    throw CorruptFile("cannot gather " + path + ": its " + what +
                      " differs from that of the other owners");
  };
  for (const OptionInfo& info : sparse_options())
    if (get_sparse_option(first.options, info.name) != get_sparse_option(other.options, info.name))
      fail("set of options");
  if (first.prior != other.prior || first.units.location != other.units.location ||
      first.units.unit != other.units.unit)
    fail("unit");
  if (first.note != other.note) fail("note");
}

void add_weights(const SparseOwner::State& from, SparseModel::State& to, std::uint64_t models,
                 const std::string& path) {
  const hashed::WeightUnits grid = from.grid();
  const std::vector<std::size_t> had = hashed::lanes_in(from.models);
  const std::size_t lanes = to.bank.lanes;
  std::vector<float> belief(2 * lanes);
  from.sums.for_each([&](std::uint64_t key, const std::int64_t* sums) {
    std::size_t k = 0;
    for (std::size_t lane = 0; lane < had.size(); ++lane) {
      if ((models >> had[lane] & 1) == 0) continue;
      grid.belief(lane, sums[lane], sums[had.size() + lane] - 1, belief[k], belief[lanes + k]);
      ++k;
    }
    const auto found =
        to.linear.weights.find_or_add(key, std::span<const float>(belief).subspan(lanes));
    if (!found.added)
      throw CorruptFile("cannot gather " + path + ": another owner has the same weight");
    std::copy_n(belief.begin(), lanes, found.beliefs);
  });
}

}  // namespace

SparseModel gather_owners(const std::vector<std::string>& paths) {
  if (paths.empty()) throw InvalidArgument("paths: must be one file at least");
  std::vector<SparseOwner> owners;
  for (const std::string& path : paths) owners.push_back(SparseOwner::load(path));
  // One of them has what the weights share.
  std::size_t first = 0;
  for (std::size_t i = 1; i < owners.size(); ++i)
    if (hashed::inputs_of(owners[i].shared()) > hashed::inputs_of(owners[first].shared()))
      first = i;
  const SparseOwner::State& one = *owners[first].state_;
  auto out = hashed::spread_state(one.options, one.units);
  hashed::restore(one.shared, *out);
  out->linear.inputs = std::max(1.0, hashed::inputs_of(one.shared));
  out->linear.squares = one.units.input_square * out->linear.inputs;
  out->linear.set_prior(out->bank);
  for (std::size_t i = 0; i < owners.size(); ++i) {
    expect_one_model(one, *owners[i].state_, paths[i]);
    add_weights(*owners[i].state_, *out, hashed::bits_of(one.shared), paths[i]);
  }
  return SparseModel(std::move(out));
}

}  // namespace postrider::sparse
