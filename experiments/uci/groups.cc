#include "groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "coverage.h"

namespace postrider::experiments {
namespace {

// A column of no more values is taken for categories.
constexpr std::size_t kMostCategories = 10;
constexpr std::array kThirds{"narrow third", "middle third", "wide third"};

// A test row of some split.
struct TestRow {
  std::size_t row;  // of the set
  double width;
  bool holds;
};

template <class Belongs>
Object describe_group(const UciSet& set, const std::string& group, const std::vector<TestRow>& rows,
                      Belongs&& belongs) {
  std::int64_t count = 0, held = 0;
  for (const TestRow& row : rows) {
    if (!belongs(row)) continue;
    ++count;
    if (row.holds) ++held;
  }
  return {{"set", {set.name}},
          {"group", {group}},
          {"rows", {count}},
          {"coverage", {static_cast<double>(held) / static_cast<double>(count)}}};
}

double value_at(const UciSet& set, std::size_t row, std::size_t column) {
  return set.table.values[row * set.table.columns + column];
}

std::vector<double> values_of(const UciSet& set, std::size_t column) {
  std::set<double> out;
  for (std::size_t row = 0; row < set.table.rows() && out.size() <= kMostCategories; ++row)
    out.insert(value_at(set, row, column));
  return {out.begin(), out.end()};
}

}  // namespace

RowIntervals row_intervals(const Distributions& found, const std::vector<double>& targets) {
  const std::vector<double> bounds = found.intervals(kLevels[kShownLevel]);
  RowIntervals out;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    out.width.push_back(bounds[2 * i + 1] - bounds[2 * i]);
    out.holds.push_back(bounds[2 * i] <= targets[i] && targets[i] <= bounds[2 * i + 1]);
  }
  return out;
}

std::vector<Object> describe_groups(const UciSet& set, const std::vector<RowIntervals>& splits) {
  std::vector<TestRow> rows;
  std::vector<double> widths;
  for (std::size_t split = 0; split < splits.size(); ++split) {
    std::vector<std::size_t> tested = set.splits[split];
    std::ranges::sort(tested);  // as UciSet::rows() has them
    for (std::size_t i = 0; i < tested.size(); ++i) {
      rows.push_back({tested[i], splits[split].width[i], splits[split].holds[i]});
      widths.push_back(rows.back().width);
    }
  }
  std::ranges::sort(widths);
  const double low = widths[widths.size() / 3], high = widths[2 * widths.size() / 3];
  std::vector<Object> out;
  for (std::size_t third = 0; third < kThirds.size(); ++third)
    out.push_back(describe_group(set, kThirds[third], rows, [&](const TestRow& row) {
      return static_cast<std::size_t>(row.width >= low) +
                 static_cast<std::size_t>(row.width >= high) ==
             third;
    }));
  for (std::size_t column = 0; column < set.inputs(); ++column) {
    const std::vector<double> values = values_of(set, column);
    if (values.size() < 2 || values.size() > kMostCategories) continue;
    for (const double value : values) {
      const auto has_value = [&](const TestRow& row) {
        return value_at(set, row.row, column) == value;
      };
      if (std::ranges::any_of(rows, has_value))
        out.push_back(describe_group(set, fmt::format("column {} = {:g}", column + 1, value), rows,
                                     has_value));
    }
  }
  return out;
}

}  // namespace postrider::experiments
