#include "postrider/weighted_rows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <compare>
#include <cstdint>

#include "data/kept_inputs.h"
#include "postrider/error.h"
#include "train/targets.h"

namespace postrider {
using namespace internal;
namespace {

constexpr double kMostCopies = 16;

// Some mixing of bits; rows with the same one are told apart by their values.
std::uint64_t mixed(std::uint64_t state, double value) {
  state ^= std::bit_cast<std::uint64_t>(value);
  state *= 0x9e3779b97f4a7c15;
  return state ^ (state >> 29);
}

std::strong_ordering compare(std::span<const double> a, std::span<const double> b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto order = std::bit_cast<std::uint64_t>(a[i]) <=> std::bit_cast<std::uint64_t>(b[i]);
    if (order != 0) return order;
  }
  return std::strong_ordering::equal;
}

struct Row {
  std::uint64_t key;
  std::size_t place;
};

// The rows given, one by one.
struct GivenRows {
  const Examples& all;

  std::vector<double> inputs_of(std::size_t row) const {
    return all_numbers(all.inputs.part(row, 1));
  }
  std::span<const double> targets_of(std::size_t row) const {
    const std::size_t size = all.targets.size() / all.count();
    return all.targets.subspan(row * size, size);
  }
  double weight(std::size_t row) const {
    return all.sample_weights.empty() ? 1 : all.sample_weights[row];
  }

  std::uint64_t key(std::size_t row) const {
    std::uint64_t out = 0;
    for (const double value : inputs_of(row)) out = mixed(out, value);
    for (const double value : targets_of(row)) out = mixed(out, value);
    return out;
  }
  bool precedes(const Row& a, const Row& b) const {
    if (a.key != b.key) return a.key < b.key;
    auto order = compare(inputs_of(a.place), inputs_of(b.place));
    if (order == 0) order = compare(targets_of(a.place), targets_of(b.place));
    return order == 0 ? weight(a.place) < weight(b.place) : order < 0;
  }
};

void expect_sense(const Examples& given) {
  const std::size_t rows = given.count();
  if (rows == 0) reject("rows", rows, "must be at least 1");
  expect_sound(given.inputs);
  if (!given.inputs.has_whole_rows() || given.targets.size() % rows != 0)
    reject("rows", rows, "must divide the numbers of inputs and of targets");
  if (!given.sample_weights.empty() && given.sample_weights.size() != rows)
    reject("weights", given.sample_weights.size(), "must be one for each row, or none");
  for (const double weight : given.sample_weights)
    if (!(weight >= 0 && weight <= kMostWeight))
      reject(
          "weights", weight,
          "must be numbers from 0 to 100, since each counts as so many rows: divide them by their "
          "mean");
}

std::vector<Row> ordered(const GivenRows& given, WeightedRows::Order order) {
  std::vector<Row> out;
  for (std::size_t row = 0; row < given.all.count(); ++row)
    if (given.weight(row) > 0)
      out.push_back({order == WeightedRows::Order::canonical ? given.key(row) : 0, row});
  if (order == WeightedRows::Order::canonical)
    std::ranges::sort(out, [&](const Row& a, const Row& b) { return given.precedes(a, b); });
  return out;
}

}  // namespace

WeightedRows weighted_rows(const Examples& rows, WeightedRows::Order order) {
  expect_sense(rows);
  const GivenRows given{rows};
  WeightedRows out;
  out.targets.reserve(rows.targets.size());
  for (const Row& row : ordered(given, order)) {
    const double weight = given.weight(row.place);
    const double copies = std::clamp(std::ceil(weight), 1.0, kMostCopies);
    const auto y = given.targets_of(row.place);
    for (double copy = 0; copy < copies; ++copy) {
      out.targets.insert(out.targets.end(), y.begin(), y.end());
      out.weights.push_back(weight / copies);
      out.places.push_back(row.place);
    }
  }
  out.rows = out.weights.size();
  if (out.rows == 0) reject("weights", 0.0, "must be above 0 for at least one row");
  if (std::ranges::all_of(out.weights, [](double weight) { return weight == 1; }))
    out.weights.clear();
  out.inputs = OwnedInputs(rows.inputs, out.places);
  return out;
}

}  // namespace postrider
