#include "data/encoder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "data/cell.h"
#include "data/date.h"
#include "data/standardise.h"

namespace postrider::internal {

Encoder::Plan Encoder::plan_of(const Schema& schema, std::size_t place, bool indicators) {
  const ColumnSchema& column = schema.columns[place];
  Plan out{place, features_.size()};
  out.codes = column.categories.size() + column.hashed;
  out.parts = column.parts;
  out.indicator = indicators && column.has_missing;
  if (column.kind == ColumnSchema::Kind::numeric) features_.push_back({column.name, place});
  for (const std::string& name : input_names(column.parts))
    features_.push_back({column.name + ": " + name, place});
  for (std::size_t k = out.codes == 2 ? 1 : 0; k < out.codes; ++k) {
    const bool is_shared = k >= column.categories.size();
    features_.push_back(
        {column.name + (is_shared ? ", other text " : " = ") +
             (is_shared ? std::to_string(k - column.categories.size() + 1) : column.categories[k]),
         place});
  }
  out.inputs = features_.size() - out.first;
  if (out.indicator) features_.push_back({column.name + " is missing", place});
  return out;
}

Encoder::Encoder(const Schema& schema, bool indicators) {
  for (std::size_t c = 0; c < schema.columns.size(); ++c) {
    const ColumnSchema& column = schema.columns[c];
    if (column.target || column.kind == ColumnSchema::Kind::ignored) continue;
    plans_.push_back(plan_of(schema, c, indicators));
  }
}

void Encoder::add_cell(const Plan& plan, const Table::Column& cells, std::size_t row,
                       SparseInputs& to) {
  const auto add = [&](std::size_t input, double value) {
    if (value != 0) to.add(plan.first + input, value);
  };
  const auto add_date = [&](double seconds) {
    std::array<double, kMostDateInputs> found{};
    put_date_inputs(plan.parts, seconds, found.data());
    for (std::size_t k = 0; k < plan.inputs; ++k) add(k, found[k]);
  };
  bool missing = false;
  if (plan.codes == 0) {
    const double number = cells.numbers[row];
    missing = std::isnan(number);
    if (plan.parts.empty())
      add(0, number);
    else
      add_date(number);
  } else {
    const std::uint32_t code = cells.codes[row];
    missing = code == Table::Column::kMissing;
    if (code >= plan.codes)
      for (std::size_t k = 0; k < plan.inputs; ++k) add(k, kMissingNumber);
    else if (plan.inputs > 1)
      add(code, 1);
    else
      add(0, code + 1 == plan.codes ? 1 : 0);  // the second of two, or the only one
  }
  if (plan.indicator) add(plan.inputs, missing ? 1 : 0);
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
    if (plan.codes == 0 && plan.parts.empty()) is_number[plan.first] = ++columns > 0;
  const auto numbers = std::ranges::count_if(
      rows.places, [&](std::uint32_t place) { return static_cast<bool>(is_number[place]); });
  const auto cells = static_cast<double>(columns) * static_cast<double>(rows.rows());
  return columns >= kManyColumns && static_cast<double>(numbers) < kFew * cells;
}

std::vector<double> means_of(const SparseInputs& rows) {
  return scales_of(column_moments(rows)).mean;
}

void fill_missing(SparseInputs& rows, std::span<const double> means) {
  for (std::size_t at = 0; at < rows.values.size(); ++at)
    if (std::isnan(rows.values[at])) rows.values[at] = means[rows.places[at]];
}

}  // namespace postrider::internal
