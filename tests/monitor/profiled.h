// Tables whose columns are drawn, for profiles and what compares with them.
#pragma once

#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "base/random.h"
#include "postrider/monitor.h"

namespace postrider {
using namespace internal;

inline Schema drawn_schema() {
  Schema out;
  out.columns = {
      {.name = "id", .kind = ColumnSchema::Kind::ignored},
      {.name = "size"},
      {.name = "town", .kind = ColumnSchema::Kind::categorical, .categories = {"a", "b", "c"}},
      {.name = "day",
       .kind = ColumnSchema::Kind::date,
       .form = ColumnSchema::Form::year_first,
       .parts = {ColumnSchema::DatePart::trend}},
      {.name = "y", .target = true}};
  return out;
}

// Places of the columns above.
enum Drawn : std::size_t { kId, kSize, kTown, kDay, kTarget };

inline std::vector<Table::Column> drawn_columns(std::size_t rows, std::uint64_t seed) {
  constexpr double kMissing = std::numeric_limits<double>::quiet_NaN(), kDaySeconds = 86400;
  std::vector<Table::Column> out(5);
  RandomStream random(seed, 0);
  for (std::size_t row = 0; row < rows; ++row) {
    out[kSize].numbers.push_back(random.uniform() < 0.1 ? kMissing : 50 + 10 * random.normal());
    out[kTown].codes.push_back(static_cast<std::uint32_t>(random.below(3)));
    out[kDay].numbers.push_back(kDaySeconds * static_cast<double>(random.below(365)));
    out[kTarget].numbers.push_back(random.normal());
  }
  return out;
}

inline Table drawn_table(std::size_t rows, std::uint64_t seed) {
  return {drawn_schema(), drawn_columns(rows, seed)};
}

// After a change of the columns.
template <class Change>
Table changed_table(std::size_t rows, std::uint64_t seed, const Change& change) {
  std::vector<Table::Column> columns = drawn_columns(rows, seed);
  change(columns);
  return {drawn_schema(), std::move(columns)};
}

inline std::vector<std::size_t> rows_from(std::size_t first, std::size_t last) {
  std::vector<std::size_t> out(last - first);
  std::iota(out.begin(), out.end(), first);
  return out;
}

inline TableProfile profile_of(const Table& table) {
  TableProfile out;
  out.add(table);
  return out;
}

}  // namespace postrider
