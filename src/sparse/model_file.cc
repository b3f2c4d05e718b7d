// A SparseModel as a safetensors file: the weights in the table's order, what the lanes share, and the options as metadata.
#include <cmath>

#include "data/safetensors.h"
#include "postrider/error.h"
#include "sparse/file_notes.h"
#include "sparse/state.h"

namespace postrider::sparse {
using namespace internal;
namespace {

using hashed::kMostLanes;
using hashed::PerLane;

constexpr const char* kFormat = "postrider sparse model 1";
// Before the name of a source and, on the next line, that of a partition.
constexpr std::string_view kPosition = "position ";

// Far beyond what rows can teach, whose numbers are bounded: sums of such beliefs over a row stay finite numbers.
constexpr double kMostBelief = 1e12;   // means and variances of weights and biases
constexpr double kMostLogNoise = 300;  // means and variances of the noise's logarithm
constexpr double kMostTarget = 1e120;  // unit and location of the targets

bool is_belief(float mean, float variance) {
  return std::abs(mean) <= kMostBelief && variance > 0 && variance <= kMostBelief;
}

// Numbers that all weights share, as one array; the same are written and read.
template <class State, class Do>
void for_each_number(State& state, Do&& act) {
  act(state.location);
  act(state.unit);
  act(state.weight);
  act(state.log_loss);
  act(state.linear.squares);
  act(state.linear.inputs);
}
template <class State, class Do>
void for_each_lanes(State& state, Do&& act) {
  act("lanes.prior", state.bank.prior);
  act("lanes.log_score", state.bank.log_score);
  act("lanes.drift", state.bank.drift);
  act("lanes.bias_mean", state.linear.bias.mean);
  act("lanes.bias_variance", state.linear.bias.variance);
  act("lanes.noise_mean", state.noise.mean);
  act("lanes.noise_variance", state.noise.variance);
}

// Keys as two numbers of 32 bits each, and the beliefs.
struct Columns {
  std::vector<std::uint32_t> keys;
  std::vector<float> beliefs;
};

Columns columns_of(const hashed::WeightTable& table) {
  Columns out;
  std::vector<std::uint64_t> keys;
  keys.reserve(table.size());
  out.beliefs.reserve(2 * table.width() * table.size());
  table.for_each([&](std::uint64_t key, const float* beliefs) {
    for (std::size_t k = 0; k < table.width(); ++k)
      if (!is_belief(beliefs[k], beliefs[table.width() + k]))
        throw Error(
            "the model is not written, since it could not be read again: a belief is not a "
            "Gaussian, or beyond 1e12");
    keys.push_back(key);
    out.beliefs.insert(out.beliefs.end(), beliefs, beliefs + 2 * table.width());
  });
  out.keys = hashed::halves_of(keys);
  return out;
}

void add(std::vector<TensorView>& to, const std::string& name, const Columns& columns,
         const hashed::WeightTable& table) {
  to.push_back(view_of<std::uint32_t>(name + ".key", {table.size(), 2},
                                      std::span<const std::uint32_t>(columns.keys)));
  to.push_back(view_of<float>(name + ".belief", {table.size(), 2, table.width()},
                              std::span<const float>(columns.beliefs)));
}

class Loader {
 public:
  explicit Loader(const std::string& path) : file_(path), notes_(path, file_.metadata(), kFormat) {}

  [[noreturn]] void fail(const std::string& what) const { notes_.fail(what); }
  SparseOptions options() const { return notes_.options(); }

  void fill(SparseModel::State& state) {
    state.rows = notes_.whole("rows");
    for (const auto& [key, event] : file_.metadata()) {
      const std::size_t line = key.find('\n');
      if (key.starts_with(kPosition) && line != std::string::npos)
        state.positions[key.substr(kPosition.size(), line - kPosition.size())]
                       [key.substr(line + 1)] = event;
    }
    const std::vector<std::size_t> shape = file_.shape("lanes.prior");
    const std::size_t lanes = shape.size() == 1 ? shape[0] : 0;
    if (lanes != 1 && lanes != 2 && lanes != 4 && lanes != kMostLanes)
      fail("it has an impossible number of lanes");
    if (state.latent && lanes != 1) fail("a model with latent vectors has one lane");
    std::vector<double> numbers(6);
    file_.read<double>("numbers", {numbers.size()}, numbers);
    std::size_t at = 0;
    for_each_number(state, [&](double& number) { number = notes_.finite(numbers[at++]); });
    if (!(state.unit > 0 && state.unit <= kMostTarget))
      fail("the unit of its numbers is not above 0, or beyond 1e120");
    if (!(std::abs(state.location) <= kMostTarget)) fail("its location is beyond 1e120");
    state.bank.lanes = lanes;
    for_each_lanes(state, [&](const char* name, PerLane& values) {
      values = {};
      file_.read<double>(name, {lanes}, std::span(values.data(), lanes));
      for (const double value : values) notes_.finite(value);
    });
    for (std::size_t k = 0; k < lanes; ++k)
      if (!(state.bank.prior[k] > 0 && state.linear.bias.variance[k] > 0 &&
            state.noise.variance[k] > 0))
        fail("a variance is not above 0");
    expect_bounded(state, lanes);
    fill("weights", state.linear.weights, lanes);
    if (state.latent) fill("latent", state.latent->weights, state.options.latent);
    state.linear.set_prior(state.bank);
  }

 private:
  void expect_bounded(const SparseModel::State& state, std::size_t lanes) const {
    for (std::size_t k = 0; k < lanes; ++k) {
      if (!(state.bank.prior[k] <= kMostBelief && state.linear.bias.variance[k] <= kMostBelief &&
            std::abs(state.linear.bias.mean[k]) <= kMostBelief))
        fail("a number that all weights share is beyond 1e12");
      if (!(std::abs(state.noise.mean[k]) <= kMostLogNoise &&
            state.noise.variance[k] <= kMostLogNoise))
        fail("the logarithm of its noise is beyond 300");
    }
  }

  void fill(const std::string& name, hashed::WeightTable& table, std::size_t lanes) {
    const std::vector<std::size_t> shape = file_.shape(name + ".key");
    if (shape.size() != 2 || shape[1] != 2) fail("its keys are not pairs");
    Columns columns{std::vector<std::uint32_t>(2 * shape[0]),
                    std::vector<float>(2 * lanes * shape[0])};
    file_.read<std::uint32_t>(name + ".key", shape, columns.keys);
    file_.read<float>(name + ".belief", {shape[0], 2, lanes}, columns.beliefs);
    table = hashed::WeightTable(lanes);
    for (std::size_t i = 0; i < shape[0]; ++i) {
      const std::uint64_t key = hashed::number_of(&columns.keys[2 * i]);
      const float* const beliefs = &columns.beliefs[2 * lanes * i];
      for (std::size_t k = 0; k < lanes; ++k)
        if (!is_belief(beliefs[k], beliefs[lanes + k]))
          fail("a belief is not a Gaussian, or beyond 1e12");
      const hashed::WeightTable::Found found = table.find_or_add(key, {beliefs + lanes, lanes});
      if (!found.added) fail("a weight is there twice");
      std::copy_n(beliefs, lanes, found.beliefs);
    }
  }

  SafetensorsReader file_;
  hashed::FileNotes notes_;
};

}  // namespace

void SparseModel::save(const std::string& path) const {
  const State& state = *state_;
  hashed::Metadata metadata = hashed::notes_of(kFormat, state.options);
  metadata["rows"] = std::to_string(state.rows);
  for (const auto& [source, partitions] : state.positions)
    for (const auto& [partition, event] : partitions)
      metadata[std::string(kPosition) + source + "\n" + partition] = event;
  std::vector<double> numbers;
  for_each_number(state, [&](double number) { numbers.push_back(number); });
  std::vector<TensorView> tensors{
      view_of<double>("numbers", {numbers.size()}, std::span<const double>(numbers))};
  const Columns weights = columns_of(state.linear.weights);
  add(tensors, "weights", weights, state.linear.weights);
  const Columns latent = state.latent ? columns_of(state.latent->weights) : Columns();
  if (state.latent) add(tensors, "latent", latent, state.latent->weights);
  const std::size_t lanes = state.bank.lanes;
  for_each_lanes(state, [&](const char* name, const PerLane& values) {
    tensors.push_back(
        view_of<double>(name, {lanes}, std::span<const double>(values.data(), lanes)));
  });
  write_safetensors(path, tensors, metadata);
}

SparseModel SparseModel::load(const std::string& path) {
  Loader loader(path);
  try {
    auto state = std::make_unique<State>(loader.options());
    loader.fill(*state);
    return SparseModel(std::move(state));
  } catch (const InvalidArgument& error) {
    loader.fail(error.what());
  }
}

}  // namespace postrider::sparse
