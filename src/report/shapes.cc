// How predictions move with the inputs, and where errors lie.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>

#include "postrider/error.h"
#include "postrider/metrics.h"
#include "postrider/splits.h"
#include "report/content_parts.h"

namespace postrider::internal {

namespace {

constexpr std::size_t kInputsDrawn = 6, kRowsMoved = 100, kPoints = 15, kMostCategoriesMoved = 12;
constexpr std::size_t kStretches = 12, kGroups = 15;
constexpr double kLow = 0.1, kHigh = 0.9;  // of the rows that a band holds
constexpr double kLeastProbability = 1e-15;

double quantile(std::vector<double> values, double probability) {
  const auto place = static_cast<std::size_t>(probability * static_cast<double>(values.size() - 1));
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(place));
  return values[place];
}

// The class whose probability is drawn: of two the second, of more the most frequent.
std::size_t drawn_class(const ReportSource& source) {
  const std::size_t classes = source.model.classes().size();
  if (classes == 2) return 1;
  std::vector<std::size_t> counts(classes);
  for (const std::size_t label : source.rows.labels()) ++counts[label];
  return static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin());
}

// Some rows, evenly among all, in which one column can be set.
class MovedRows {
 public:
  explicit MovedRows(const ReportSource& source) : model_(source.model) {
    const std::size_t all = source.rows.table.rows(), step = (all + kRowsMoved - 1) / kRowsMoved;
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < all; row += step) rows.push_back(row);
    const Table some = source.rows.table.selected(rows);
    rows_ = some.rows();
    for (std::size_t c = 0; c < some.schema().columns.size(); ++c)
      columns_.push_back(some.column(c));
    if (model_.classifies()) class_ = drawn_class(source);
  }

  std::string output() const {
    return model_.classifies() ? "probability of " + model_.classes()[class_]
                               : "predicted " + model_.target();
  }

  std::vector<double> with(std::size_t column, double number, std::uint32_t code) const {
    std::vector<Table::Column> columns = columns_;
    for (double& cell : columns[column].numbers) cell = number;
    for (std::uint32_t& cell : columns[column].codes) cell = code;
    const TableModel::Prediction said = model_.predict(Table(model_.schema(), std::move(columns)));
    if (!model_.classifies()) return said.mean;
    std::vector<double> out;
    for (std::size_t row = 0; row < rows_; ++row)
      out.push_back(said.probabilities[row * said.classes() + class_]);
    return out;
  }

 private:
  const TableModel& model_;
  std::vector<Table::Column> columns_;
  std::size_t rows_ = 0, class_ = 0;
};

void add_point(const std::vector<double>& said, ReportDependence& to) {
  to.mean.push_back(mean_estimate(said).value);
  to.low.push_back(quantile(said, kLow));
  to.high.push_back(quantile(said, kHigh));
}

// Points at which the rows lie evenly; each once.
std::vector<double> points_of(std::vector<double> numbers) {
  std::erase_if(numbers, [](double number) { return std::isnan(number); });
  std::vector<double> out;
  if (numbers.empty()) return out;
  std::ranges::sort(numbers);
  for (std::size_t k = 0; k < kPoints; ++k) {
    const double share = 0.02 + 0.96 * static_cast<double>(k) / (kPoints - 1);
    const double number =
        numbers[static_cast<std::size_t>(share * static_cast<double>(numbers.size() - 1))];
    if (out.empty() || number > out.back()) out.push_back(number);
  }
  return out;
}

ReportDependence dependence_of(const ReportSource& source, const MovedRows& rows,
                               std::size_t column) {
  const ColumnSchema& schema = source.model.schema().columns[column];
  ReportDependence out{schema.name, rows.output(), {}, {}, {}, {}, {}};
  if (schema.kind == ColumnSchema::Kind::numeric) {
    out.x = points_of(source.rows.table.column(column).numbers);
    for (const double x : out.x) add_point(rows.with(column, x, 0), out);
    return out;
  }
  std::vector<std::size_t> counts(schema.categories.size());
  for (const std::uint32_t code : source.rows.table.column(column).codes)
    if (code < counts.size()) ++counts[code];
  std::vector<std::size_t> order(counts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t k) { return counts[k]; });
  for (const std::size_t k : std::span(order).first(std::min(order.size(), kMostCategoriesMoved))) {
    out.names.push_back(schema.categories[k]);
    add_point(rows.with(column, 0, static_cast<std::uint32_t>(k)), out);
  }
  return out;
}

// For each row: how far off it was, its square or log-loss, and whether it was inside or how sure the model was.
struct RowErrors {
  std::vector<double> mean, size, inside;
};

RowErrors errors_of(const ReportSource& source) {
  RowErrors out;
  const TableModel::Prediction said = source.model.predict(source.rows.table);
  const std::vector<double>& targets = source.rows.targets;
  if (!source.model.classifies()) {
    const std::vector<double> levels = said.distributions.levels(targets);
    for (std::size_t row = 0; row < targets.size(); ++row) {
      const double miss = targets[row] - said.mean[row];
      out.mean.push_back(miss);
      out.size.push_back(miss * miss);
      out.inside.push_back(levels[row] < source.level ? 1 : 0);
    }
    return out;
  }
  const std::vector<std::size_t> chosen = said.most_probable(), labels = source.rows.labels();
  const std::size_t classes = said.classes();
  for (std::size_t row = 0; row < labels.size(); ++row) {
    out.mean.push_back(chosen[row] == labels[row] ? 1 : 0);
    out.size.push_back(
        -std::log(std::max(kLeastProbability, said.probabilities[row * classes + labels[row]])));
    out.inside.push_back(said.probabilities[row * classes + chosen[row]]);
  }
  return out;
}

ReportErrors together(const RowErrors& errors, const std::vector<std::size_t>& rows,
                      bool classifies) {
  const auto picked = [&](const std::vector<double>& values) {
    std::vector<double> out;
    for (const std::size_t row : rows) out.push_back(values[row]);
    return mean_estimate(out);
  };
  ReportErrors out;
  out.rows = rows.size();
  const Estimate mean = picked(errors.mean);
  out.mean = mean.value;
  out.error = mean.standard_error;
  out.size = classifies ? picked(errors.size).value : std::sqrt(picked(errors.size).value);
  out.inside = picked(errors.inside).value;
  return out;
}

}  // namespace

std::vector<ReportDependence> report_dependences(const ReportSource& source,
                                                 std::vector<ReportImportance> importances) {
  std::ranges::stable_sort(importances, std::greater(),
                           [](const ReportImportance& one) { return one.loss.value_or(0); });
  const MovedRows rows(source);
  std::vector<ReportDependence> out;
  for (const ReportImportance& one : importances) {
    const std::size_t column = source.model.schema().find(one.input);
    const ColumnSchema& schema = source.model.schema().columns.at(column);
    const bool is_drawn =
        schema.kind == ColumnSchema::Kind::numeric ||
        (schema.kind == ColumnSchema::Kind::categorical && !schema.categories.empty());
    if (!is_drawn) continue;
    ReportDependence made = dependence_of(source, rows, column);
    if (made.mean.size() > 1) out.push_back(std::move(made));
    if (out.size() == kInputsDrawn) break;
  }
  return out;
}

void add_errors(const ReportSource& source, const std::string& time, const std::string& group,
                std::size_t user_keys, ReportContent& to) {
  if (time.empty() && group.empty()) return;
  const RowErrors errors = errors_of(source);
  const Table& table = source.rows.table;
  const bool classifies = source.model.classifies();
  to.time = time;
  to.group = group;
  if (!time.empty()) {
    const std::vector<std::string> texts = table.keys(user_keys);
    const std::vector<double> times = times_of(time, texts);
    to.has_dates =
        texts.front().find_first_of("-/.:") != std::string::npos && std::abs(times.front()) > 1e6;
    std::vector<std::size_t> order(times.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t row) { return times[row]; });
    const std::size_t stretches = std::min(kStretches, order.size());
    for (std::size_t k = 0; k < stretches; ++k) {
      const auto begin = static_cast<std::ptrdiff_t>(k * order.size() / stretches);
      const auto end = static_cast<std::ptrdiff_t>((k + 1) * order.size() / stretches);
      const std::vector<std::size_t> rows(order.begin() + begin, order.begin() + end);
      to.over_time.push_back(together(errors, rows, classifies));
      to.over_time.back().time = times[rows[rows.size() / 2]];
    }
  }
  if (group.empty()) return;
  std::map<std::string, std::vector<std::size_t>> groups;
  const std::size_t key = user_keys + (time.empty() ? 0 : 1);
  for (std::size_t row = 0; row < table.rows(); ++row) groups[table.key(key, row)].push_back(row);
  for (const auto& [name, rows] : groups) {
    to.by_group.push_back(together(errors, rows, classifies));
    to.by_group.back().name = name.empty() ? "(missing)" : name;
  }
  std::ranges::stable_sort(to.by_group, std::greater(), &ReportErrors::rows);
  to.by_group.resize(std::min(to.by_group.size(), kGroups));
}

}  // namespace postrider::internal
