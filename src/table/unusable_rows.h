// Rows of a table that no estimator can take, by the names of their columns.
#pragma once

#include <utility>
#include <vector>

#include "postrider/error.h"
#include "table/state.h"

namespace postrider::internal {

std::vector<TableModel::UnusableRow> unusable_rows(const TableModelState& state,
                                                   const Table& table);
// Throws InvalidArgument for the first of them, which names column, value and line.
void expect_usable(const TableModelState& state, const Table& table);

// What work() returns. If it refuses a number of these rows, the message says where the number stands.
template <class Work>
auto naming_numbers(const TableModelState& state, const Table& table, Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (const InvalidArgument&) {
    expect_usable(state, table);
    throw;
  }
}

}  // namespace postrider::internal
