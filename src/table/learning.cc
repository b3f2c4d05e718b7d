#include "table/learning.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "data/cell_columns.h"
#include "data/schema.h"
#include "postrider/error.h"
#include "postrider/options.h"
#include "postrider/weighted_rows.h"
#include "table/baseline.h"
#include "table/unusable_rows.h"

namespace postrider::internal {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void refuse_class(const TableEncoding& encoding, const Table& table, std::size_t row) {
  const ColumnSchema& target = encoding.target_column();
  std::string accepted = "must have classes that the model knows: ";
  for (std::size_t k = 0; k < target.categories.size(); ++k)
    accepted += (k == 0 ? "" : ", ") + shown(target.categories[k]);
  if (table.line(row) > 0) accepted += "; line " + std::to_string(table.line(row)) + " has another";
  reject("target", target.name, accepted);
}

std::vector<std::size_t> all_rows(const Table& table) {
  std::vector<std::size_t> out(table.rows());
  std::iota(out.begin(), out.end(), std::size_t{0});
  return out;
}

// How many rows there are, and of which class, is not known yet.
std::vector<TableWarning> warnings_of_first(const Table& chunk) {
  TableCheck check;
  check.add(chunk);
  std::vector<TableWarning> out = check.warnings();
  std::erase_if(out, [](const TableWarning& each) {
    return each.kind == TableWarning::Kind::few_rows || each.kind == TableWarning::Kind::imbalance;
  });
  return out;
}

}  // namespace

TableEncoding::TableEncoding(Schema given, TableModelOptions::Missing how, bool with_indicators)
    : schema(std::move(given)), missing(how), indicators(with_indicators), target(schema.target()) {
  schema.validate();
  if (target == Schema::kNone)
    reject("target", std::string_view(), "must name the column that is to be predicted");
  encoder = Encoder(schema, indicators);
  if (encoder.features().empty())
    reject("columns", schema.columns.size(),
           "must have at least one input besides the target that is not ignored");
}

void expect_schema(const TableEncoding& encoding, const Schema& schema) {
  const bool same = std::ranges::equal(
      schema.columns, encoding.schema.columns, [](const ColumnSchema& a, const ColumnSchema& b) {
        return a.name == b.name && a.kind == b.kind && a.target == b.target &&
               a.categories == b.categories && a.hashed == b.hashed && a.parts == b.parts;
      });
  if (!same)
    reject("table", schema.columns.size(),
           "must have the columns of the model: read it with the model's schema");
}

void add_rows(const TableEncoding& encoding, const Table& table, LearnedRows& to,
              std::span<const std::uint32_t> groups) {
  expect_schema(encoding, table.schema());
  if (!groups.empty() && groups.size() != table.rows())
    reject("groups", groups.size(), "must be one for each row of the table, or none");
  if (table.rows() == 0) return;
  if (!table.has_target())
    reject("target", encoding.target_column().name, "must be a column of the table");
  const Table::Column& target = table.column(encoding.target);
  const std::size_t classes = encoding.target_column().categories.size();
  std::vector<std::size_t> known;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (encoding.classifies()) {
      if (target.codes[row] == Table::Column::kMissing) continue;
      if (target.codes[row] >= classes) refuse_class(encoding, table, row);
      to.targets.push_back(target.codes[row]);
    } else {
      if (std::isnan(target.numbers[row])) continue;
      to.targets.push_back(target.numbers[row]);
    }
    known.push_back(row);
  }
  to.without_target += table.rows() - known.size();
  if (!table.weights().empty())
    for (const std::size_t row : known) to.weights.push_back(table.weights()[row]);
  if (!groups.empty())
    for (const std::size_t row : known) to.groups.push_back(groups[row]);
  encoding.encoder.encode(table, known, to.inputs);
}

std::vector<std::size_t> known_rows(const TableEncoding& encoding, const Table& table) {
  std::vector<std::size_t> out;
  if (!table.has_target()) return out;
  const Table::Column& target = table.column(encoding.target);
  for (std::size_t row = 0; row < table.rows(); ++row)
    if (encoding.classifies() ? target.codes[row] != Table::Column::kMissing
                              : !std::isnan(target.numbers[row]))
      out.push_back(row);
  return out;
}

void impute(TableEncoding& encoding, SparseInputs& inputs) {
  inputs.keeps_zeros = encoding.encoder.keeps_zeros(inputs);
  if (encoding.missing != TableModelOptions::Missing::mean) return;
  if (encoding.means.empty()) encoding.means = means_of(inputs);
  fill_missing(inputs, encoding.means);
}

namespace {

// So that each class counts as much as another, and all of them as before: total / (classes x that of the class).
std::vector<double> balanced_weights(const LearnedRows& rows, std::size_t classes) {
  std::vector<double> sums(classes);
  double total = 0, there = 0;
  const std::vector<std::size_t> labels = rows.labels();
  for (std::size_t row = 0; row < labels.size(); ++row) {
    const double weight = rows.weights.empty() ? 1 : rows.weights[row];
    sums[labels[row]] += weight;
    total += weight;
  }
  for (const double sum : sums) there += sum > 0 ? 1 : 0;
  for (double& sum : sums) sum = sum > 0 ? total / (there * sum) : 1;
  return sums;
}

}  // namespace

void weigh_classes(const TableEncoding& encoding, const TableModelOptions::ClassWeights& how,
                   LearnedRows& rows) {
  if (how == TableModelOptions::ClassWeights()) return;
  const std::vector<std::string>& classes = encoding.target_column().categories;
  if (!encoding.classifies())
    reject("class_weights", encoding.target_column().name, "is a number, which has no classes");
  if (how.balanced && !how.by_class.empty())
    reject("class_weights", "balanced", "does not go with weights of single classes");
  std::vector<double> weights(classes.size(), 1.0);
  if (how.balanced) weights = balanced_weights(rows, classes.size());
  for (const auto& [name, weight] : how.by_class) {
    const auto found = std::ranges::find(classes, name);
    if (found == classes.end())
      reject("class_weights", name, "must be one of the classes " + listed(classes));
    if (!(weight >= 0 && std::isfinite(weight)))
      reject("class_weights", name + "=" + to_string(OptionValue(weight)),
             "must be a number of at least 0");
    weights[static_cast<std::size_t>(found - classes.begin())] = weight;
  }
  if (rows.weights.empty()) rows.weights.assign(rows.rows(), 1.0);
  const std::vector<std::size_t> labels = rows.labels();
  for (std::size_t row = 0; row < labels.size(); ++row) rows.weights[row] *= weights[labels[row]];
}

LearnedRows spread_weights(const LearnedRows& rows) {
  if (rows.weights.empty()) return rows;
  WeightedRows counted = weighted_rows(rows.examples(), WeightedRows::Order::given);
  LearnedRows out;
  out.inputs = counted.inputs.sparse();
  out.targets = std::move(counted.targets);
  out.weights = std::move(counted.weights);
  out.without_target = rows.without_target;
  if (!rows.groups.empty())
    for (const std::size_t place : counted.places) out.groups.push_back(rows.groups[place]);
  return out;
}

SparseInputs encoded(const TableEncoding& encoding, const Table& table) {
  expect_schema(encoding, table.schema());
  SparseInputs out;
  encoding.encoder.encode(table, all_rows(table), out);
  if (!encoding.means.empty()) fill_missing(out, encoding.means);
  return out;
}

TableEstimator new_estimator(const TableEncoding& encoding, const TableModelOptions& options) {
  options.validate_for(encoding.schema);
  if (!encoding.classifies()) return Regressor(options.estimator);
  EstimatorOptions estimator = options.estimator;
  estimator.classes = encoding.target_column().categories.size();
  return Classifier(estimator);
}

std::unique_ptr<TableModelState> new_state(const Schema& schema, const TableModelOptions& options) {
  TableEncoding encoding(schema, options.missing, options.indicators);
  TableEstimator estimator = new_estimator(encoding, options);
  return std::make_unique<TableModelState>(
      TableModelState{std::move(encoding), std::move(estimator)});
}

void TableModelState::learn(const RowMonitor::Digest& rows) {
  constexpr std::size_t kMostDigests = 1000;
  if (rows.rows == 0) return;
  if (learned.size() == kMostDigests) learned.erase(learned.begin());
  learned.push_back(rows);
}

void watch_rows(const Table& table, TableModelState& state) {
  if (!state.profile.is_empty()) state.profile.add(table);
}

void expect_rows(const LearnedRows& rows, const TableEncoding& encoding) {
  if (rows.rows() == 0)
    reject("target", encoding.target_column().name, "must have a value in at least one row");
}

namespace {

// Whether estimators can take the weights as they are.
bool is_spread(const LearnedRows& rows) {
  return std::ranges::all_of(rows.weights, [](double weight) { return weight > 0 && weight <= 1; });
}

std::vector<FitReport> fit_together(TableEstimator& estimator, const LearnedRows& rows,
                                    const TableModelOptions& options,
                                    const TrainingCallbacks& callbacks) {
  const distributed::Shards shards =
      distributed::shards_of(rows.examples(), options.distributed.shards);
  return distributed::fit_distributed(common(estimator), shards, options.distributed,
                                      *options.processes, callbacks)
      .fits;
}

}  // namespace

std::vector<FitReport> fit(TableEstimator& estimator, const LearnedRows& given,
                           const TableModelOptions& options, const TrainingCallbacks& callbacks) {
  if (!is_spread(given)) return fit(estimator, spread_weights(given), options, callbacks);
  if (options.processes != nullptr) return fit_together(estimator, given, options, callbacks);
  return common(estimator).fit(given.examples(), callbacks);
}

StreamReport partial_fit(TableEstimator& estimator, const LearnedRows& given) {
  if (!is_spread(given)) {
    const auto counts = [](double weight) { return weight > 0; };
    if (!std::ranges::any_of(given.weights, counts)) return {};
    return partial_fit(estimator, spread_weights(given));
  }
  return common(estimator).partial_fit(given.examples());
}

TableModel::Step learn_stream(TableModelState& state, TableReader& reader,
                              const TableModel::StreamCallback& progress, bool begins_profile,
                              const TableModelOptions::ClassWeights& class_weights) {
  const Clock::time_point begin = Clock::now();
  TableModel::Step out;
  RowMonitor::Digest digest;
  Table chunk;
  LearnedRows rows;
  while (reader.next(chunk)) {
    if (state.history.empty() && out.rows == 0) out.warnings = warnings_of_first(chunk);
    rows.inputs = {};
    rows.targets.clear();
    rows.weights.clear();
    rows.without_target = 0;
    add_rows(state.encoding, chunk, rows);
    digest.add(chunk);
    if (begins_profile)
      state.profile.add(chunk);
    else
      watch_rows(chunk, state);
    out.without_target += rows.without_target;
    if (rows.rows() > 0) {
      weigh_classes(state.encoding, class_weights, rows);
      // The first chunk fixes what is simple, as it does the scales; an update finds it there.
      if (state.history.empty() && out.rows == 0)
        state.baseline = fit_baseline(state.encoding, rows);
      impute(state.encoding, rows.inputs);
      out.stream.add(
          naming_numbers(state, chunk, [&] { return partial_fit(state.estimator, rows); }));
      out.rows += rows.rows();
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    if (progress && !progress({out.rows, reader.bytes_read(), reader.file_bytes(), seconds})) break;
  }
  state.learn(digest);
  return out;
}

}  // namespace postrider::internal
