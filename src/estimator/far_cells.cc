#include "estimator/far_cells.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/number_text.h"
#include "data/cell_columns.h"
#include "data/standardise.h"

namespace postrider::internal {
namespace {

constexpr double kFar = 1e8;
constexpr std::size_t kRowsForEachFar = 100;
constexpr std::size_t kMostSampled = 10'000, kFewestKnown = 10;

double median_of(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

struct Middle {
  double median = 0, spread = 0;

  bool is_far(double x) const { return std::abs(x - median) > kFar * spread; }
};

// Takes the numbers that are there, or some of them.
std::optional<Middle> middle_of(std::vector<double> known) {
  if (known.size() < kFewestKnown) return {};
  Middle out;
  out.median = median_of(known);
  std::erase(known, out.median);
  for (double& x : known) x = std::abs(x - out.median);
  if (known.empty()) return {};
  out.spread = median_of(known);
  return out;
}

std::size_t step_for(std::size_t rows) { return 1 + (rows - 1) / kMostSampled; }
std::size_t most_far(std::size_t rows) { return std::max<std::size_t>(1, rows / kRowsForEachFar); }

// Those of a column's places, of which there are `count`, whose numbers are far, if they are few enough.
template <class Place>
std::vector<std::size_t> far_among(std::size_t count, const Place& place,
                                   std::span<const double> values,
                                   const std::optional<Middle>& middle, std::size_t rows) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; middle && i < count; ++i) {
    const std::size_t at = place(i);
    if (!middle->is_far(values[at])) continue;
    out.push_back(at);
    if (out.size() > most_far(rows)) return {};
  }
  return out;
}

// The same of sparse rows, by column: most of their numbers are zeros that nobody wrote.
std::vector<std::vector<std::size_t>> far_places_of_sparse(const Inputs& inputs) {
  const std::size_t rows = inputs.rows(), columns = inputs.columns(), step = step_for(rows);
  std::vector<std::vector<std::size_t>> written(columns), out(columns);
  for (std::size_t at = inputs.begins()[0]; at < inputs.begins()[rows]; ++at)
    written[inputs.places()[at]].push_back(at);
  for (std::size_t c = 0; c < columns; ++c) {
    std::vector<double> known;
    for (std::size_t i = 0; i < written[c].size(); i += step)
      if (const double x = inputs.values()[written[c][i]]; !std::isnan(x)) known.push_back(x);
    known.resize(known.size() + (rows - written[c].size()) / step, 0.0);
    out[c] = far_among(
        written[c].size(), [&](std::size_t i) { return written[c][i]; }, inputs.values(),
        middle_of(std::move(known)), rows);
  }
  return out;
}

std::string sentence(const std::string& column, const FarNumbers& far, std::size_t rows,
                     const char* becomes) {
  return column + ": " + std::to_string(far.count) + " of " + std::to_string(rows) +
         " numbers, such as " + shortest_text(far.example) +
         ", lies more than 1e8 times as far from the others as these lie apart: it is learned " +
         becomes;
}

}  // namespace

std::vector<std::size_t> far_places(std::span<const double> values, std::size_t column,
                                    std::size_t columns) {
  if (values.empty()) return {};
  const std::size_t rows = values.size() / columns, step = step_for(rows);
  std::vector<double> known;
  for (std::size_t row = 0; row < rows; row += step)
    if (const double x = values[row * columns + column]; !std::isnan(x)) known.push_back(x);
  return far_among(
      rows, [&](std::size_t row) { return row * columns + column; }, values,
      middle_of(std::move(known)), rows);
}

WithoutFarCells::WithoutFarCells(const Examples& rows, bool has_numeric_targets,
                                 std::size_t outputs)
    : rows_(rows) {
  if (rows.count() == 0) return;
  forget_far_inputs();
  if (has_numeric_targets) move_far_targets(outputs);
}

void WithoutFarCells::forget_far_inputs() {
  const Inputs given = rows_.inputs;
  const std::size_t columns = rows_.columns();
  std::vector<std::vector<std::size_t>> places(columns);
  if (given.is_sparse())
    places = far_places_of_sparse(given);
  else
    for (std::size_t c = 0; c < columns; ++c) places[c] = far_places(given.values(), c, columns);
  for (std::size_t c = 0; c < columns; ++c) {
    if (places[c].empty()) continue;
    if (inputs_.empty()) inputs_.assign(given.values().begin(), given.values().end());
    far_inputs_.push_back({c, places[c].size(), given.values()[places[c].front()]});
    for (const std::size_t at : places[c]) inputs_[at] = std::numeric_limits<double>::quiet_NaN();
  }
  if (inputs_.empty()) return;
  if (given.is_sparse())
    rows_.inputs = Inputs(columns, given.begins(), given.places(), inputs_, given.keeps_zeros());
  else
    rows_.inputs = Inputs(inputs_, given.rows(), columns);
}

void WithoutFarCells::move_far_targets(std::size_t outputs) {
  const std::span<const double> given = rows_.targets;
  for (std::size_t c = 0; c < outputs; ++c) {
    const std::vector<std::size_t> places = far_places(given, c, outputs);
    if (places.empty()) continue;
    if (targets_.empty()) targets_.assign(given.begin(), given.end());
    far_targets_.push_back({c, places.size(), given[places.front()]});
    for (const std::size_t at : places) targets_[at] = std::numeric_limits<double>::quiet_NaN();
  }
  if (targets_.empty()) return;
  const Scales others = scales_of(Inputs(targets_).of_columns(outputs), rows_.sample_weights);
  for (std::size_t at = 0; at < given.size(); ++at) {
    if (!std::isnan(targets_[at]) || std::isnan(given[at])) continue;
    const std::size_t c = at % outputs;
    const double side = std::copysign(kFarTarget, given[at] - others.mean[c]);
    targets_[at] = others.mean[c] + side * others.deviation[c];
  }
  rows_.targets = targets_;
}

std::vector<std::string> told_of_far(std::span<const FarNumbers> inputs,
                                     std::span<const FarNumbers> targets, std::size_t rows,
                                     std::span<const std::string> names) {
  std::vector<std::string> out;
  for (const FarNumbers& far : inputs)
    out.push_back(sentence(far.column < names.size() ? "column " + shown(names[far.column])
                                                     : "input " + std::to_string(far.column + 1),
                           far, rows, "as missing"));
  for (const FarNumbers& far : targets)
    out.push_back(
        sentence("the target", far, rows, "as if it were ten standard deviations from them"));
  return out;
}

}  // namespace postrider::internal
