#include "data/encoder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "data/date_parts.h"
#include "data/standardise.h"

namespace postrider {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

}  // namespace

Encoder::Plan Encoder::plan_of(const Schema& schema, std::size_t place, bool indicators) {
  const ColumnSchema& column = schema.columns[place];
  Plan out{place, features_.size()};
  out.codes = column.categories.size() + column.hashed;
  out.parts = column.parts;
  out.indicator = indicators && column.has_missing;
  if (column.kind == ColumnKind::numeric) features_.push_back({column.name, place});
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
    if (column.target || column.kind == ColumnKind::ignored) continue;
    plans_.push_back(plan_of(schema, c, indicators));
  }
}

void Encoder::encode(const Table& table, std::span<const std::size_t> rows,
                     std::vector<double>& to) const {
  const std::size_t width_of_row = features_.size(), begin = to.size();
  to.resize(begin + rows.size() * width_of_row);
  for (const Plan& plan : plans_) {
    const TableColumn& cells = table.column(plan.column);
    double* at = to.data() + begin + plan.first;
    for (const std::size_t row : rows) {
      bool missing = false;
      if (plan.codes == 0) {
        missing = std::isnan(cells.numbers[row]);
        if (plan.parts.empty())
          *at = cells.numbers[row];
        else
          put_date_inputs(plan.parts, cells.numbers[row], at);
      } else {
        const std::uint32_t code = cells.codes[row];
        missing = code == TableColumn::kMissing;
        std::fill_n(at, plan.inputs, code < plan.codes ? 0.0 : kMissing);
        if (code < plan.codes && plan.inputs > 1) at[code] = 1;
        if (plan.codes == 2 && code == 1) *at = 1;
        if (plan.codes == 1 && code == 0) *at = 1;
      }
      if (plan.indicator) at[plan.inputs] = missing ? 1 : 0;
      at += width_of_row;
    }
  }
}

std::vector<double> means_of(std::span<const double> rows, std::size_t columns) {
  return scales_of(rows, columns).mean;
}

void fill_missing(std::span<double> rows, std::span<const double> means) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (std::isnan(rows[i])) rows[i] = means[i % means.size()];
}

}  // namespace postrider
