#include <algorithm>
#include <cmath>

#include "monitor/profile_cells.h"
#include "postrider/monitor.h"

namespace postrider {
using namespace internal;
namespace {

constexpr std::size_t kGaps = 16;                          // between knots, at most
constexpr std::size_t kMostSorted = std::size_t{1} << 16;  // numbers of which quantiles are taken
constexpr std::size_t kMostKept = 512, kMostKeptCells = std::size_t{1} << 16;
constexpr double kThousandth = 1000, kFarthest = 1e6;

// So many of the numbers that are known, evenly spread over the rows.
std::vector<double> some_sorted(const std::vector<double>& numbers) {
  std::vector<double> out;
  for (std::size_t row = 0; row < numbers.size(); row += 1 + numbers.size() / kMostSorted)
    if (!std::isnan(numbers[row])) out.push_back(numbers[row]);
  std::sort(out.begin(), out.end());
  return out;
}

double magnitude_of(const std::vector<double>& numbers) {
  std::vector<double> sizes;
  for (const double number : numbers)
    if (number != 0) sizes.push_back(std::abs(number));
  return median_of(std::move(sizes));
}

void fix_knots(const std::vector<double>& numbers, TableProfile::Column& to) {
  const std::vector<double> sorted = some_sorted(numbers);
  if (sorted.empty()) return;
  for (std::size_t k = 0; k <= kGaps; ++k) {
    const double knot = sorted[k * (sorted.size() - 1) / kGaps];
    if (to.knots.empty() || knot > to.knots.back()) to.knots.push_back(knot);
  }
  to.counts.resize(to.knots.size() + 1);
  to.magnitude = magnitude_of(sorted);
  to.least = sorted.front();
  to.largest = sorted.back();
}

void begin(const Table& table, TableProfile& to) {
  const Schema& schema = table.schema();
  for (std::size_t c = 0; c < schema.columns.size() && to.columns.size() < to.kMostColumns; ++c) {
    if (!is_profiled(schema.columns[c])) continue;
    TableProfile::Column& column = to.columns.emplace_back();
    column.name = schema.columns[c].name;
    column.kind = schema.columns[c].kind;
    column.target = schema.columns[c].target;
    column.shared = schema.columns[c].hashed;
    if (schema.columns[c].kind == ColumnSchema::Kind::categorical)
      column.counts.resize(levels_of(schema.columns[c]));
    else
      fix_knots(table.column(c).numbers, column);
  }
}

void count_numbers(const std::vector<double>& numbers, TableProfile::Column& to) {
  for (const double number : numbers) {
    if (std::isnan(number)) {
      ++to.missing;
    } else if (!to.counts.empty()) {
      to.least = std::min(to.least, number);
      to.largest = std::max(to.largest, number);
      ++to.counts[bin_of(to.knots, number)];
    }
  }
  to.rows += numbers.size();
}

void count_codes(const std::vector<std::uint32_t>& codes, TableProfile::Column& to) {
  for (const std::uint32_t code : codes)
    ++(code == Table::Column::kMissing ? to.missing
                                       : to.counts[level_place(code, to.counts.size())]);
  to.rows += codes.size();
}

std::size_t most_kept(const TableProfile& profile) {
  return std::min(kMostKept, kMostKeptCells / std::max<std::size_t>(1, profile.columns.size()));
}

// Every row, then every second, every fourth and so on: which are kept depends on nothing but their number.
void keep_rows(const Table& table, TableProfile& to) {
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (to.rows++ % to.stride != 0) continue;
    to.kept.push_back(kept_cells(to, table, row));
    if (to.kept.size() <= most_kept(to)) continue;
    std::size_t count = 1;
    for (std::size_t from = 2; from < to.kept.size(); from += 2)
      to.kept[count++] = std::move(to.kept[from]);
    to.kept.resize(count);
    to.stride *= 2;
  }
}

}  // namespace

namespace internal {

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::size_t bin_of(const std::vector<double>& knots, double number) {
  return static_cast<std::size_t>(std::lower_bound(knots.begin(), knots.end(), number) -
                                  knots.begin());
}

}  // namespace internal

double position_of(const TableProfile::Column& column, double number) {
  const std::vector<double>& knots = column.knots;
  if (knots.size() < 2) {
    if (knots.empty() || number == knots.front()) return 0;
    return number < knots.front() ? -1 : 1;
  }
  const double low = knots.front(), high = knots.back();
  if (number < low) return (number - low) / (high - low);
  if (number > high) return 1 + (number - high) / (high - low);
  const std::size_t above = std::max<std::size_t>(1, bin_of(knots, number));
  const double gap = knots[above] - knots[above - 1];
  return (static_cast<double>(above - 1) + (number - knots[above - 1]) / gap) /
         static_cast<double>(knots.size() - 1);
}

namespace internal {

std::vector<std::int32_t> kept_cells(const TableProfile& profile, const Table& table,
                                     std::size_t row) {
  std::vector<std::int32_t> out;
  for_profiled(profile, table, [&](const TableProfile::Column& column, const Table::Column& cells) {
    if (column.target) return;
    if (!cells.codes.empty()) {
      const std::uint32_t code = cells.codes[row];
      out.push_back(code == Table::Column::kMissing
                        ? TableProfile::kNoPosition
                        : static_cast<std::int32_t>(level_place(code, column.counts.size())));
      return;
    }
    const double position = position_of(column, cells.numbers[row]);
    out.push_back(std::isnan(cells.numbers[row])
                      ? TableProfile::kNoPosition
                      : static_cast<std::int32_t>(std::lround(
                            kThousandth * std::clamp(position, -kFarthest, kFarthest))));
  });
  return out;
}

}  // namespace internal

void TableProfile::add(const Table& table) {
  if (table.rows() == 0) return;
  if (is_empty()) begin(table, *this);
  for_profiled(*this, table, [&](TableProfile::Column& column, const Table::Column& cells) {
    count_numbers(cells.numbers, column);
    count_codes(cells.codes, column);
  });
  // Rows without a target are those whose target is missing, however they are cut into tables.
  if (!table.has_target())
    for (TableProfile::Column& column : columns) {
      column.rows += column.target ? table.rows() : 0;
      column.missing += column.target ? table.rows() : 0;
    }
  keep_rows(table, *this);
  sample.add(table);
}

}  // namespace postrider
