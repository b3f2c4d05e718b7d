// Cells of a table as a profile counts and keeps them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "postrider/monitor.h"

namespace postrider::internal {

inline bool is_profiled(const ColumnSchema& column) {
  return column.kind != ColumnSchema::Kind::ignored;
}

// Categories, places that others share, and last what the schema does not know.
inline std::size_t levels_of(const ColumnSchema& column) {
  return column.categories.size() + column.hashed + 1;
}
inline std::size_t level_place(std::uint32_t code, std::size_t levels) {
  return code < levels ? code : levels - 1;
}

// The number of knots below it.
std::size_t bin_of(const std::vector<double>& knots, double number);
double median_of(std::vector<double> values);  // 0 if there are none

// A row as a profile keeps it.
std::vector<std::int32_t> kept_cells(const TableProfile& profile, const Table& table,
                                     std::size_t row);

// Calls `each` with a column's profile and cells; not for a target that the table does not have.
template <class Profile, class Each>
void for_profiled(Profile& profile, const Table& table, const Each& each) {
  const Schema& schema = table.schema();
  std::size_t c = 0;
  for (auto& column : profile.columns) {
    while (c < schema.columns.size() && !is_profiled(schema.columns[c])) ++c;
    if (c == schema.columns.size()) return;
    const Table::Column& cells = table.column(c);
    if (!cells.numbers.empty() || !cells.codes.empty()) each(column, cells);
    ++c;
  }
}

}  // namespace postrider::internal
