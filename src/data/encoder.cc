#include "data/encoder.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "data/column_moments.h"

namespace postrider {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

}  // namespace

std::size_t Encoder::width(const Plan& plan) { return plan.categories > 2 ? plan.categories : 1; }

Encoder::Encoder(const Schema& schema, bool indicators) {
  for (std::size_t c = 0; c < schema.columns.size(); ++c) {
    const ColumnSchema& column = schema.columns[c];
    if (column.target || column.kind == ColumnKind::ignored) continue;
    const Plan plan{c, features_.size(), column.categories.size(),
                    indicators && column.has_missing};
    if (plan.categories == 0) features_.push_back({column.name, c});
    const std::size_t first = plan.categories == 2 ? 1 : 0;
    for (std::size_t k = first; k < plan.categories; ++k)
      features_.push_back({column.name + " = " + column.categories[k], c});
    if (plan.indicator) features_.push_back({column.name + " is missing", c});
    plans_.push_back(plan);
  }
}

void Encoder::add_cell(const Plan& plan, const TableColumn& cells, std::size_t row,
                       SparseInputs& to) {
  const auto add = [&](std::size_t input, double value) {
    if (value != 0) to.add(plan.first + input, value);
  };
  const std::size_t inputs = width(plan);
  bool missing = false;
  if (plan.categories == 0) {
    missing = std::isnan(cells.numbers[row]);
    add(0, cells.numbers[row]);
  } else {
    const std::uint32_t code = cells.codes[row];
    missing = code == TableColumn::kMissing;
    if (code >= plan.categories)
      for (std::size_t k = 0; k < inputs; ++k) add(k, kMissing);
    else if (inputs > 1)
      add(code, 1);
    else
      add(0, code + 1 == plan.categories ? 1 : 0);  // the second of two, or the only one
  }
  if (plan.indicator) add(inputs, missing ? 1 : 0);
}

void Encoder::encode(const Table& table, std::span<const std::size_t> rows,
                     SparseInputs& to) const {
  to.columns = features_.size();
  for (const std::size_t row : rows) {
    for (const Plan& plan : plans_) add_cell(plan, table.column(plan.column), row, to);
    to.end_row();
  }
}

bool Encoder::keeps_zeros(const SparseInputs& rows) const {
  constexpr std::size_t kManyColumns = 100;
  constexpr double kFew = 0.1;
  std::vector<bool> is_number(features_.size());
  std::size_t columns = 0;
  for (const Plan& plan : plans_)
    if (plan.categories == 0) is_number[plan.first] = ++columns > 0;
  const auto numbers = std::ranges::count_if(
      rows.places, [&](std::uint32_t place) { return static_cast<bool>(is_number[place]); });
  const auto cells = static_cast<double>(columns) * static_cast<double>(rows.rows());
  return columns >= kManyColumns && static_cast<double>(numbers) < kFew * cells;
}

std::vector<double> means_of(const SparseInputs& rows) {
  return scales_of(column_moments(rows, rows.columns)).mean;
}

void fill_missing(SparseInputs& rows, std::span<const double> means) {
  for (std::size_t at = 0; at < rows.values.size(); ++at)
    if (std::isnan(rows.values[at])) rows.values[at] = means[rows.places[at]];
}

}  // namespace postrider
