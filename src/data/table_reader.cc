#include "data/table_reader.h"

#include <algorithm>
#include <utility>

#include "base/access.h"
#include "data/arrow_batches.h"
#include "data/byte_source.h"
#include "data/cell.h"
#include "data/cell_columns.h"
#include "data/libsvm.h"
#include "data/row_source.h"
#include "postrider/arrow.h"
#include "postrider/error.h"
#include "postrider/table.h"

namespace postrider {
using namespace internal;

namespace internal {

namespace {

constexpr std::size_t kChunkCells = std::size_t{1} << 21;

// The column of weights is a key whose cells are numbers, and no input.
TableOptions with_weights(const TableOptions& given, const Schema* schema) {
  TableOptions out = given;
  if (given.weights.empty()) return out;
  if (given.weights == (schema == nullptr || schema->target() == Schema::kNone
                            ? given.target
                            : schema->columns[schema->target()].name))
    reject("weights", given.weights, "is the target, which cannot say how often rows count");
  if (std::find(out.ignored.begin(), out.ignored.end(), given.weights) == out.ignored.end())
    out.ignored.push_back(given.weights);
  out.keys.push_back(given.weights);
  return out;
}

std::unique_ptr<RowSource> rows_of(std::unique_ptr<ByteSource> bytes, const std::string& name,
                                   const TableOptions& given, const Schema* schema) {
  given.validate();
  const TableOptions options = with_weights(given, schema);
  if (schema != nullptr) schema->validate();
  const std::string first = peek(bytes);
  expect_text(first, name);
  TableOptions::Format format = options.format;
  if (format == TableOptions::Format::infer)
    format = looks_like_libsvm(first) ? TableOptions::Format::libsvm : TableOptions::Format::csv;
  if (format == TableOptions::Format::libsvm && !options.keys.empty())
    reject("key", options.keys.front(), "must be a column of CSV; LIBSVM text has none by name");
  RowRequest request{std::move(bytes), name, options, schema};
  return format == TableOptions::Format::libsvm ? libsvm_rows(std::move(request))
                                                : csv_rows(std::move(request));
}

std::string shown_name(const std::string& path) { return path == "-" ? "standard input" : path; }

}  // namespace

CellColumn cell_column(const Schema& schema, const ColumnSchema& column, bool is_inferred) {
  CellColumn out;
  out.name = column.name;
  out.form = column.form;
  out.unit = column.unit;
  out.markers.add(schema.na);
  out.markers.add(column.odd);
  const bool is_plain =
      column.form == ColumnSchema::Form::decimal_point && !out.markers.has_numbers();
  if (column.kind == ColumnSchema::Kind::numeric)
    out.use = is_plain ? CellUse::number : CellUse::written;
  if (column.kind == ColumnSchema::Kind::date) out.use = CellUse::date;
  if (column.kind == ColumnSchema::Kind::categorical) {
    out.use = CellUse::code;
    out.dictionary = Dictionary(column.categories);
    out.categories = column.categories.size();
    out.hashed = column.hashed;
    out.must_be_known = column.target && is_inferred;
    if (column.target)
      for (const std::string& category : column.categories)
        out.class_values.push_back(read_cell(category).number);
  }
  return out;
}

std::size_t chunk_rows(const TableOptions& options, std::size_t columns) {
  return std::clamp<std::size_t>(kChunkCells / std::max<std::size_t>(columns, 1), 1,
                                 options.chunk_rows);
}

std::string RowSource::trouble_with_absent(const std::string& name, bool may_lack_columns) const {
  if (absent_.empty()) return "";
  std::size_t inputs = 0;
  for (const ColumnSchema& column : schema().columns)
    inputs += !column.target && column.kind != ColumnSchema::Kind::ignored ? 1 : 0;
  if (may_lack_columns && absent_.size() < inputs) return "";
  return "cannot use " + name + ": it has no column " +
         shown(schema().columns[absent_.front()].name) + ", which the model needs";
}

class TableReaderState {
 public:
  TableReaderState(std::unique_ptr<RowSource> from, std::string named, const TableOptions& options)
      : path(std::move(named)),
        source(std::move(from)),
        schema(std::make_shared<Schema>(source->schema())),
        has_weights(!options.weights.empty()) {}

  bool next(Table& chunk) {
    chunk.schema_ = schema;
    chunk.columns_.resize(schema->columns.size());
    chunk.rows_ = 0;
    chunk.lines_.clear();
    chunk.rows_ = source->read(chunk.columns_, chunk.lines_);
    chunk.keys_ = source->keys();
    for (const std::size_t place : source->absent())
      fill_missing(chunk.columns_[place], schema->columns[place].kind, chunk.rows_);
    chunk.weights_.clear();
    if (has_weights && chunk.rows_ > 0) {
      for (std::size_t row = 0; row < chunk.rows_; ++row)
        chunk.weights_.push_back(weight_of(chunk, row));
      chunk.keys_.pop_back();
    }
    rows += chunk.rows_;
    if (observer && chunk.rows_ > 0) observer(chunk);
    return chunk.rows_ > 0;
  }

  static void fill_missing(Table::Column& column, ColumnSchema::Kind kind, std::size_t rows) {
    if (kind == ColumnSchema::Kind::categorical)
      column.codes.assign(rows, Table::Column::kMissing);
    else
      column.numbers.assign(rows, kMissingNumber);
  }

  // The last key.
  double weight_of(const Table& chunk, std::size_t row) const {
    const std::string& text = chunk.keys_.back()[row];
    const Cell cell = read_cell(trimmed(text));
    if (cell.kind == CellKind::number && cell.number >= 0) return cell.number;
    const std::size_t line = chunk.line(row);
    throw CorruptFile(
        (path.empty() ? "the Arrow stream" : path) +
        (line > 0 ? ": line " + std::to_string(line) : ": row " + std::to_string(rows + row + 1)) +
        ": the weight " + shown(text) + " must be a number of at least 0");
  }

  std::string path;
  std::unique_ptr<RowSource> source;
  std::shared_ptr<const Schema> schema;
  std::size_t rows = 0;
  std::function<void(const Table&)> observer = {};
  bool has_weights = false;
};

}  // namespace internal

void TableReader::Skipped::add(const std::string& reason) {
  ++count;
  if (reasons.size() < kMostListed) reasons.push_back(reason);
}

TableReader::TableReader(const std::string& path, const TableOptions& options)
    : state_(std::make_unique<TableReaderState>(
          rows_of(open_bytes(path), shown_name(path), options, nullptr), path, options)) {}
TableReader::TableReader(const std::string& path, const Schema& schema, const TableOptions& options)
    : state_(std::make_unique<TableReaderState>(
          rows_of(open_bytes(path), shown_name(path), options, &schema), path, options)) {}
TableReader::TableReader(std::unique_ptr<TableReaderState> state) : state_(std::move(state)) {}
TableReader::~TableReader() = default;
TableReader::TableReader(TableReader&&) noexcept = default;
TableReader& TableReader::operator=(TableReader&&) noexcept = default;

TableReader TableReader::of_text(std::string text, const Schema& schema,
                                 const TableOptions& options) {
  return table_reader_of(memory_bytes(std::move(text), "the text"), "the text", options, &schema);
}
TableReader TableReader::of_text(std::string text, const TableOptions& options) {
  return table_reader_of(memory_bytes(std::move(text), "the text"), "the text", options, nullptr);
}

namespace internal {

TableReader table_reader_of(std::unique_ptr<ByteSource> bytes, const std::string& name,
                            const TableOptions& options, const Schema* schema) {
  return Access::made_of<TableReader>(std::make_unique<TableReaderState>(
      rows_of(std::move(bytes), name, options, schema), name, options));
}

}  // namespace internal

TableReader read_arrow(ArrowArrayStream& stream, const TableOptions& options) {
  ArrowBatches batches(stream);
  options.validate();
  return Access::made_of<TableReader>(std::make_unique<TableReaderState>(
      arrow_rows(std::move(batches), with_weights(options, nullptr), nullptr), std::string(),
      options));
}
TableReader read_arrow(ArrowArrayStream& stream, const Schema& schema,
                       const TableOptions& options) {
  ArrowBatches batches(stream);
  options.validate();
  schema.validate();
  return Access::made_of<TableReader>(std::make_unique<TableReaderState>(
      arrow_rows(std::move(batches), with_weights(options, &schema), &schema), std::string(),
      options));
}

const Schema& TableReader::schema() const { return *state_->schema; }
bool TableReader::next(Table& chunk) { return state_->next(chunk); }
void TableReader::observe(std::function<void(const Table&)> observer) {
  state_->observer = std::move(observer);
}
std::vector<std::string> TableReader::absent() const {
  std::vector<std::string> out;
  for (const std::size_t place : state_->source->absent())
    out.push_back(state_->schema->columns[place].name);
  return out;
}
const TableReader::Skipped& TableReader::skipped() const { return state_->source->skipped(); }
const std::string& TableReader::path() const { return state_->path; }
std::size_t TableReader::rows() const { return state_->rows; }
std::uint64_t TableReader::bytes_read() const { return state_->source->bytes().stored; }
std::uint64_t TableReader::bytes_decoded() const { return state_->source->bytes().decoded; }
std::uint64_t TableReader::file_bytes() const { return state_->source->bytes().all; }

}  // namespace postrider
