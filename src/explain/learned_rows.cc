#include "explain/learned_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "monitor/profile_cells.h"

namespace postrider::internal {
namespace {

constexpr double kThousandth = 1000;  // positions are kept as so many to one

// The number at a position; position_of() is the inverse.
double number_at(const TableProfile::Column& column, std::int32_t kept) {
  const std::vector<double>& knots = column.knots;
  if (kept == TableProfile::kNoPosition || knots.empty())
    return std::numeric_limits<double>::quiet_NaN();
  if (knots.size() < 2) return knots.front();
  const double position = kept / kThousandth, range = knots.back() - knots.front();
  if (position < 0) return std::max(column.least, knots.front() + position * range);
  if (position > 1) return std::min(column.largest, knots.back() + (position - 1) * range);
  const auto gaps = static_cast<double>(knots.size() - 1);
  const double place = position * gaps, nearest = std::round(place);
  if (std::abs(place - nearest) <= 0.5 * gaps / kThousandth)
    return knots[static_cast<std::size_t>(nearest)];
  const auto below = static_cast<std::size_t>(place);
  return knots[below] + (place - static_cast<double>(below)) * (knots[below + 1] - knots[below]);
}

std::uint32_t code_at(const TableProfile::Column& column, std::int32_t kept) {
  if (kept == TableProfile::kNoPosition) return Table::Column::kMissing;
  const auto code = static_cast<std::uint32_t>(kept);
  return code + 1 < column.counts.size() ? code : Table::Column::kUnknown;
}

Table::Column cells_of(const TableProfile& profile, const TableProfile::Column& column,
                       std::size_t input, const std::vector<std::size_t>& rows) {
  Table::Column out;
  for (const std::size_t row : rows) {
    const std::int32_t kept = profile.kept[row][input];
    if (column.kind == ColumnSchema::Kind::categorical)
      out.codes.push_back(code_at(column, kept));
    else
      out.numbers.push_back(number_at(column, kept));
  }
  return out;
}

// The columns of a schema that a profile watches, if it watches all.
bool watches_all(const TableProfile& profile, const Schema& schema) {
  const auto watched = static_cast<std::size_t>(std::ranges::count_if(
      schema.columns, [](const ColumnSchema& column) { return is_profiled(column); }));
  return watched == profile.columns.size();
}

}  // namespace

Table learned_rows(const TableModel& model, std::size_t most) {
  const TableProfile& profile = model.profile();
  const Schema& schema = model.schema();
  if (profile.kept.empty() || !watches_all(profile, schema)) return {};
  const std::size_t all = profile.kept.size(), count = std::min(all, most);
  std::vector<std::size_t> rows;
  for (std::size_t k = 0; k < count; ++k) rows.push_back(k * all / count);
  std::vector<Table::Column> columns;
  std::size_t watched = 0, input = 0;
  for (const ColumnSchema& column : schema.columns) {
    columns.emplace_back();
    if (!is_profiled(column)) continue;
    const TableProfile::Column& known = profile.columns[watched++];
    if (!known.target) columns.back() = cells_of(profile, known, input++, rows);
  }
  return {schema, std::move(columns)};
}

}  // namespace postrider::internal
