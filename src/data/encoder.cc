#include "data/encoder.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "data/standardise.h"

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

void Encoder::encode(const Table& table, std::span<const std::size_t> rows,
                     std::vector<double>& to) const {
  const std::size_t width_of_row = features_.size(), begin = to.size();
  to.resize(begin + rows.size() * width_of_row);
  for (const Plan& plan : plans_) {
    const TableColumn& cells = table.column(plan.column);
    const std::size_t inputs = width(plan);
    double* at = to.data() + begin + plan.first;
    for (const std::size_t row : rows) {
      bool missing = false;
      if (plan.categories == 0) {
        *at = cells.numbers[row];
        missing = std::isnan(*at);
      } else {
        const std::uint32_t code = cells.codes[row];
        missing = code == TableColumn::kMissing;
        std::fill_n(at, inputs, code < plan.categories ? 0.0 : kMissing);
        if (code < plan.categories && inputs > 1) at[code] = 1;
        if (plan.categories == 2 && code == 1) *at = 1;
        if (plan.categories == 1 && code == 0) *at = 1;
      }
      if (plan.indicator) at[inputs] = missing ? 1 : 0;
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
