// How predictions move with one column.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "explain/asked_rows.h"
#include "postrider/error.h"
#include "postrider/explain.h"
#include "postrider/importance.h"
#include "postrider/metrics.h"

namespace postrider {
using namespace internal;

namespace internal {
namespace {

constexpr std::size_t kMostCategories = 12;
constexpr double kLow = 0.1, kHigh = 0.9;  // of the rows that a band holds
constexpr double kFirst = 0.02;  // of the values, below the first point, and above the last

double quantile(std::vector<double> values, double probability) {
  const auto place = static_cast<std::size_t>(probability * static_cast<double>(values.size() - 1));
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(place));
  return values[place];
}

// Rows in which one column can be set.
class MovedRows {
 public:
  MovedRows(const TableModel& model, const Table& rows, std::size_t column, std::size_t quantity)
      : model_(model), shares_(shares_of(model.estimator())), column_(column), quantity_(quantity) {
    for (std::size_t c = 0; c < rows.schema().columns.size(); ++c)
      columns_.push_back(rows.column(c));
  }

  void add_point(double number, std::uint32_t code, PartialDependence& to) const {
    std::vector<Table::Column> columns = columns_;
    std::ranges::fill(columns[column_].numbers, number);
    std::ranges::fill(columns[column_].codes, code);
    const Outcomes said =
        outcomes_of(model_, model_.encode(Table(model_.schema(), std::move(columns))));
    std::vector<double> values;
    for (std::size_t i = quantity_; i < said.values.size(); i += said.quantities)
      values.push_back(said.values[i]);
    to.mean.push_back(mean_estimate(values).value);
    to.low.push_back(quantile(values, kLow));
    to.high.push_back(quantile(values, kHigh));
    to.spread.push_back(spread_of(said, values.size()));
  }

 private:
  double spread_of(const Outcomes& said, std::size_t rows) const {
    const std::size_t members = shares_.size();
    std::vector<double> of_members(members);
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t m = 0; m < members; ++m)
        of_members[m] += said.of_members[(row * said.quantities + quantity_) * members + m] /
                         static_cast<double>(rows);
    double mean = 0, square = 0;
    for (std::size_t m = 0; m < members; ++m) mean += shares_[m] * of_members[m];
    for (std::size_t m = 0; m < members; ++m)
      square += shares_[m] * (of_members[m] - mean) * (of_members[m] - mean);
    return std::sqrt(square);
  }

  const TableModel& model_;
  std::vector<double> shares_;
  std::vector<Table::Column> columns_;
  std::size_t column_, quantity_;
};

// Points at which the values lie evenly; each once.
std::vector<double> points_of(std::vector<double> numbers, std::size_t count) {
  std::erase_if(numbers, [](double number) { return std::isnan(number); });
  std::vector<double> out;
  if (numbers.empty()) return out;
  std::ranges::sort(numbers);
  for (std::size_t k = 0; k < count; ++k) {
    const double share =
        kFirst + (1 - 2 * kFirst) * static_cast<double>(k) / static_cast<double>(count - 1);
    const double number =
        numbers[static_cast<std::size_t>(share * static_cast<double>(numbers.size() - 1))];
    if (out.empty() || number > out.back()) out.push_back(number);
  }
  return out;
}

// Codes of categories, the most frequent first.
std::vector<std::size_t> frequent(const Table::Column& cells, std::size_t categories) {
  std::vector<std::size_t> counts(categories), order(categories);
  for (const std::uint32_t code : cells.codes)
    if (code < counts.size()) ++counts[code];
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t k) { return counts[k]; });
  order.resize(std::min(order.size(), kMostCategories));
  return order;
}

}  // namespace
}  // namespace internal

void PartialDependence::Options::validate() const {
  if (rows < 1) reject("rows", rows, "must be at least 1");
  if (points < 2) reject("points", points, "must be at least 2");
}

PartialDependence partial_dependence(const TableModel& model, const Table& rows,
                                     const std::string& column,
                                     const PartialDependence::Options& options) {
  options.validate();
  const Schema& schema = model.schema();
  const std::size_t place = schema.find(column);
  if (place == Schema::kNone || schema.columns[place].target ||
      schema.columns[place].kind == ColumnSchema::Kind::ignored)
    reject("column", column, "must be an input of the model");
  if (options.by == column)
    reject("by", options.by, "must be another column than the one that is moved");
  Table some = some_rows(model, rows, options.rows);
  if (!options.by.empty()) some = with_value(some, options.by, options.value);
  const Table::Column& cells = (rows.rows() > 0 ? rows : some).column(place);
  const Quantity quantity = quantity_of(model, options.class_name, some);
  PartialDependence out;
  out.column = column;
  out.output = quantity.name;
  const MovedRows moved(model, some, place, quantity.place);
  if (schema.columns[place].kind == ColumnSchema::Kind::categorical) {
    for (const std::size_t code : frequent(cells, schema.columns[place].categories.size())) {
      out.names.push_back(schema.columns[place].categories[code]);
      moved.add_point(0, static_cast<std::uint32_t>(code), out);
    }
    return out;
  }
  out.x = points_of(cells.numbers, options.points);
  for (const double x : out.x) moved.add_point(x, 0, out);
  return out;
}

}  // namespace postrider
