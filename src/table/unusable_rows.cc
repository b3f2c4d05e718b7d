#include "table/unusable_rows.h"

#include <algorithm>
#include <span>

#include "table/learning.h"

namespace postrider {
using namespace internal;

namespace internal {

namespace {

const Estimator& estimator_of(const TableModelState& state) {
  return std::visit([](const auto& each) -> const Estimator& { return each; }, state.estimator);
}

std::string name_of(const TableEncoding& encoding, const Estimator::UnusableNumber& number) {
  if (number.column == Estimator::UnusableNumber::kTarget) return encoding.target_column().name;
  return encoding.encoder.features()[number.column].name;
}

std::string place_of(const Table& table, std::size_t row) {
  if (table.line(row) > 0) return "line " + std::to_string(table.line(row));
  return table.rows() > 1 ? "row " + std::to_string(row + 1) : "";
}

// The message of reject().
std::string reason_of(const TableEncoding& encoding, const Estimator::UnusableNumber& number) {
  try {
    reject(name_of(encoding, number), number.value, number.wanted);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
}

std::vector<Estimator::UnusableNumber> unusable_numbers(const TableModelState& state,
                                                        const Table& table) {
  const Estimator& estimator = estimator_of(state);
  std::vector<Estimator::UnusableNumber> out =
      estimator.unusable_inputs(encoded(state.encoding, table));
  if (!table.has_target() || state.encoding.classifies()) return out;
  const auto targets = estimator.unusable_targets(table.column(state.encoding.target).numbers);
  out.insert(out.end(), targets.begin(), targets.end());
  const auto by_row = [](const Estimator::UnusableNumber& a, const Estimator::UnusableNumber& b) {
    return a.row < b.row;
  };
  std::stable_sort(out.begin(), out.end(), by_row);
  const auto same_row = [](const Estimator::UnusableNumber& a, const Estimator::UnusableNumber& b) {
    return a.row == b.row;
  };
  out.erase(std::unique(out.begin(), out.end(), same_row), out.end());
  return out;
}

}  // namespace

std::vector<TableModel::UnusableRow> unusable_rows(const TableModelState& state,
                                                   const Table& table) {
  std::vector<TableModel::UnusableRow> out;
  // Before anything was learned there are no scales to be far from.
  if (table.rows() == 0 || estimator_of(state).inputs() == 0) return out;
  for (const Estimator::UnusableNumber& number : unusable_numbers(state, table))
    out.push_back({number.row, reason_of(state.encoding, number), place_of(table, number.row)});
  return out;
}

}  // namespace internal

std::string TableModel::UnusableRow::text() const {
  return place.empty() ? reason : reason + "; see " + place;
}

std::vector<std::size_t> usable_rows(std::size_t rows,
                                     const std::vector<TableModel::UnusableRow>& unusable) {
  std::vector<bool> is_usable(rows, true);
  for (const TableModel::UnusableRow& each : unusable) is_usable[each.row] = false;
  std::vector<std::size_t> out;
  for (std::size_t row = 0; row < rows; ++row)
    if (is_usable[row]) out.push_back(row);
  return out;
}

namespace internal {

void expect_usable(const TableModelState& state, const Table& table) {
  const std::vector<TableModel::UnusableRow> unusable = unusable_rows(state, table);
  if (!unusable.empty()) throw InvalidArgument(unusable.front().text());
}

}  // namespace internal
}  // namespace postrider
