#include "postrider/explain.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "explain/asked_rows.h"
#include "explain/contributions.h"
#include "explain/learned_rows.h"
#include "explain/unusual.h"
#include "postrider/error.h"
#include "postrider/table_builder.h"
#include "text/columns.h"

namespace postrider {
using namespace internal;

namespace internal {
namespace {

constexpr std::size_t kMostOrders = 100'000;
constexpr std::size_t kFewestPairs = 4;  // of orders, over all rows of the baseline
// Rows that are explained together: sums for each column, quantity and member take memory.
constexpr std::size_t kRowsTogether = 128;

using Groups = std::vector<std::vector<std::size_t>>;

PlainRows plain_rows(const Inputs& given, std::size_t columns, const char* field) {
  const Inputs rows = given.of_columns(columns);
  if (rows.columns() != columns || !rows.has_whole_rows())
    reject(field, given.has_shape() ? given.columns() : given.values().size(),
           "must have as many columns as the rows learned, " + std::to_string(columns));
  PlainRows out{std::vector<double>(rows.rows() * columns), columns};
  rows.for_each([&](std::size_t row, std::size_t column, double number) {
    out.values[row * columns + column] = number;
  });
  return out;
}

// The means of what was learned.
PlainRows mean_row(const Estimator& estimator) {
  PlainRows out{{}, estimator.inputs()};
  for (const Estimator::ColumnScale& scale : estimator.input_scales())
    out.values.push_back(scale.mean);
  return out;
}

std::size_t orders_of(const Explanation::Options& options, std::size_t baseline) {
  if (options.orders > 0) return options.orders;
  return (kFewestPairs + baseline - 1) / baseline;
}

// What is the same for all rows, without their number.
struct Asked {
  const PredictOutcomes& predict;
  const Estimator& estimator;
  PlainRows baseline;
  Groups groups;
  const Explanation::Options& options;
};

void append(std::vector<double>& to, const std::vector<double>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

void add_rows(const Asked& asked, PlainRows rows, Explanation& to) {
  const std::vector<Estimator::ColumnScale> scales = asked.estimator.input_scales();
  for (std::size_t row = 0; row < rows.count(); ++row)
    for (const std::vector<std::size_t>& group : asked.groups)
      to.unusual.push_back(unusualness(rows.row(row), group, scales));
  to.rows += rows.count();
  const Question question{std::move(rows),
                          asked.baseline,
                          asked.groups,
                          shares_of(asked.estimator),
                          orders_of(asked.options, asked.baseline.count()),
                          asked.options.seed};
  const Contributions found = contributions_of(question, asked.predict);
  to.baseline = found.baseline;
  append(to.predictions, found.predictions);
  append(to.contributions, found.values);
  append(to.spread, found.spread);
}

Explanation explained(const Asked& asked, const PlainRows& rows) {
  asked.options.validate();
  Explanation out;
  if (rows.count() == 0) reject("rows", 0, "must be at least one");
  for (std::size_t first = 0; first < rows.count(); first += kRowsTogether) {
    const std::size_t count = std::min(kRowsTogether, rows.count() - first);
    const auto part = std::span(rows.values).subspan(first * rows.columns, count * rows.columns);
    add_rows(asked, {{part.begin(), part.end()}, rows.columns}, out);
  }
  return out;
}

std::vector<std::string> numbered(const char* what, std::size_t count) {
  std::vector<std::string> out;
  for (std::size_t k = 0; k < count; ++k) out.push_back(what + std::to_string(k + 1));
  return out;
}

std::vector<std::string> quantities_of(std::size_t targets) {
  if (targets == 1) return {"mean", "std"};
  std::vector<std::string> out;
  for (std::size_t o = 1; o <= targets; ++o) {
    out.push_back("mean of target " + std::to_string(o));
    out.push_back("std of target " + std::to_string(o));
  }
  return out;
}

template <class Of>
Explanation explain_rows(const Of& estimator, const Inputs& rows, const Inputs& baseline,
                         const Explanation::Options& options, const Groups& groups) {
  const std::vector<Estimator::ColumnScale> scales = estimator.input_scales();  // throws NotFitted
  const PredictOutcomes predict = [&](const Inputs& at) { return outcomes_of(estimator, at); };
  const bool has_baseline = baseline.is_sparse() || !baseline.values().empty();
  const Asked asked{
      predict, estimator,
      has_baseline ? plain_rows(baseline, scales.size(), "baseline") : mean_row(estimator),
      sound_groups(groups, scales.size()), options};
  if (asked.baseline.count() == 0) reject("baseline", 0, "must have at least one row");
  Explanation out = explained(asked, plain_rows(rows, scales.size(), "rows"));
  out.columns = numbered("input ", asked.groups.size());
  return out;
}

// Categories that the schema does not have look as if they were missing.
void mark_unknown(const Table& table, const cli::ColumnGroups& columns, Explanation& to) {
  for (std::size_t c = 0; c < columns.places.size(); ++c) {
    const std::vector<std::uint32_t>& codes = table.column(columns.places[c]).codes;
    for (std::size_t row = 0; row < codes.size(); ++row)
      if (codes[row] == Table::Column::kUnknown)
        to.unusual[row * columns.places.size() + c] = std::numeric_limits<double>::infinity();
  }
}

}  // namespace
}  // namespace internal

void Explanation::Options::validate() const {
  if (orders > kMostOrders) reject("orders", orders, "must be at most 100000");
}

std::vector<double> Explanation::importance(std::size_t quantity) const {
  std::vector<double> out(columns.size());
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t c = 0; c < columns.size(); ++c)
      out[c] += std::abs(contributions[place(row, c, quantity)]) / static_cast<double>(rows);
  return out;
}

Explanation explain(const Regressor& regressor, const Inputs& rows, const Inputs& baseline,
                    const Explanation::Options& options,
                    const std::vector<std::vector<std::size_t>>& groups) {
  Explanation out = explain_rows(regressor, rows, baseline, options, groups);
  out.quantities = quantities_of(regressor.options().outputs);
  return out;
}

Explanation explain(const Classifier& classifier, const Inputs& rows, const Inputs& baseline,
                    const Explanation::Options& options,
                    const std::vector<std::vector<std::size_t>>& groups) {
  Explanation out = explain_rows(classifier, rows, baseline, options, groups);
  out.quantities = numbered("class ", classifier.classes());
  return out;
}

Explanation explain(const TableModel& model, const Table& rows, const Table& baseline,
                    const Explanation::Options& options) {
  for (const Table* table : {&rows, &baseline}) {
    if (table->rows() == 0) continue;
    const std::vector<TableModel::UnusableRow> unusable = model.unusable(*table);
    if (!unusable.empty())
      reject("row", unusable.front().row + 1, "cannot be explained: " + unusable.front().text());
  }
  const cli::ColumnGroups columns(model);
  const Table others =
      baseline.rows() > 0 ? baseline : learned_rows(model, Explanation::kLearnedRows);
  const std::vector<double> inputs = model.encode(rows),
                            base = others.rows() > 0 ? model.encode(others) : std::vector<double>();
  Explanation out = model.classifies()
                        ? explain(*model.classifier(), inputs, base, options, columns.inputs)
                        : explain(*model.regressor(), inputs, base, options, columns.inputs);
  mark_unknown(rows, columns, out);
  if (model.classifies()) out.quantities = model.classes();
  for (std::size_t c = 0; c < columns.places.size(); ++c)
    out.columns[c] = model.schema().columns[columns.places[c]].name;
  for (std::size_t row = 0; row < out.rows; ++row)
    for (const std::size_t place : columns.places)
      out.cells.push_back(cli::cell_text(rows, place, row));
  return out;
}

Table with_value(const Table& rows, const std::string& column, const std::string& value) {
  const Schema& schema = rows.schema();
  const std::size_t place = schema.find(column);
  if (place == Schema::kNone || schema.columns[place].target ||
      schema.columns[place].kind == ColumnSchema::Kind::ignored)
    reject("column", column, "must be an input of the model");
  Table::Builder builder(schema);
  try {
    builder.set(place, value);
  } catch (const CorruptFile& error) {
    reject(column, value, error.what());
  }
  builder.end_row();
  const Table one = builder.finish();
  std::vector<Table::Column> columns;
  for (std::size_t c = 0; c < schema.columns.size(); ++c) columns.push_back(rows.column(c));
  std::ranges::fill(columns[place].numbers,
                    one.column(place).numbers.empty() ? 0 : one.column(place).numbers.front());
  std::ranges::fill(columns[place].codes,
                    one.column(place).codes.empty() ? 0 : one.column(place).codes.front());
  return {schema, std::move(columns)};
}

}  // namespace postrider
