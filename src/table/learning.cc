#include "table/learning.h"

#include <chrono>
#include <cmath>
#include <numeric>

#include "data/cells.h"
#include "postrider/error.h"

namespace postrider {
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

}  // namespace

TableEncoding::TableEncoding(Schema given, MissingInputs how, bool with_indicators)
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

void add_rows(const TableEncoding& encoding, const Table& table, LearnedRows& to) {
  expect_schema(encoding, table.schema());
  if (table.rows() == 0) return;
  if (!table.has_target())
    reject("target", encoding.target_column().name, "must be a column of the table");
  const TableColumn& target = table.column(encoding.target);
  const std::size_t classes = encoding.target_column().categories.size();
  std::vector<std::size_t> known;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (encoding.classifies()) {
      if (target.codes[row] == TableColumn::kMissing) continue;
      if (target.codes[row] >= classes) refuse_class(encoding, table, row);
      to.labels.push_back(target.codes[row]);
    } else {
      if (std::isnan(target.numbers[row])) continue;
      to.targets.push_back(target.numbers[row]);
    }
    known.push_back(row);
  }
  to.without_target += table.rows() - known.size();
  encoding.encoder.encode(table, known, to.inputs);
}

void impute(TableEncoding& encoding, SparseInputs& inputs) {
  inputs.keeps_zeros = encoding.encoder.keeps_zeros(inputs);
  if (encoding.missing != MissingInputs::mean) return;
  if (encoding.means.empty()) encoding.means = means_of(inputs);
  fill_missing(inputs, encoding.means);
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

void TableModelState::learn(const RowDigest& rows) {
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

std::vector<FitReport> fit_together(TableEstimator& estimator, const LearnedRows& rows,
                                    const TableModelOptions& options,
                                    const TrainingCallbacks& callbacks) {
  const std::size_t shards = options.distributed.shards;
  if (auto* regressor = std::get_if<Regressor>(&estimator))
    return fit_distributed(*regressor, shards_of(NumericRows{rows.inputs, rows.targets}, 1, shards),
                           options.distributed, *options.processes, callbacks)
        .fits;
  return fit_distributed(std::get<Classifier>(estimator),
                         shards_of(LabelledRows{rows.inputs, rows.labels}, shards),
                         options.distributed, *options.processes, callbacks)
      .fits;
}

}  // namespace

std::vector<FitReport> fit(TableEstimator& estimator, const LearnedRows& rows,
                           const TableModelOptions& options, const TrainingCallbacks& callbacks) {
  if (options.processes != nullptr) return fit_together(estimator, rows, options, callbacks);
  if (auto* regressor = std::get_if<Regressor>(&estimator))
    return regressor->fit(rows.inputs, rows.targets, {}, callbacks);
  return std::get<Classifier>(estimator).fit(rows.inputs, rows.labels, {}, callbacks);
}

StreamReport partial_fit(TableEstimator& estimator, const LearnedRows& rows) {
  if (auto* regressor = std::get_if<Regressor>(&estimator))
    return regressor->partial_fit(rows.inputs, rows.targets);
  return std::get<Classifier>(estimator).partial_fit(rows.inputs, rows.labels);
}

TrainingStep learn_stream(TableModelState& state, TableReader& reader,
                          const StreamCallback& progress, bool begins_profile) {
  const Clock::time_point begin = Clock::now();
  TrainingStep out;
  RowDigest digest;
  Table chunk;
  LearnedRows rows;
  while (reader.next(chunk)) {
    rows.inputs = {};
    rows.targets.clear();
    rows.labels.clear();
    rows.without_target = 0;
    add_rows(state.encoding, chunk, rows);
    digest.add(chunk);
    if (begins_profile)
      state.profile.add(chunk);
    else
      watch_rows(chunk, state);
    out.without_target += rows.without_target;
    if (rows.rows() > 0) {
      impute(state.encoding, rows.inputs);
      out.stream.add(partial_fit(state.estimator, rows));
      out.rows += rows.rows();
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    if (progress && !progress({out.rows, reader.bytes_read(), reader.file_bytes(), seconds})) break;
  }
  state.learn(digest);
  return out;
}

}  // namespace postrider
