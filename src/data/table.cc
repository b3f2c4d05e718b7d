#include "postrider/table.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <tuple>

#include "data/cell_columns.h"
#include "data/date.h"
#include "postrider/error.h"

namespace postrider {
using namespace internal;
namespace {

constexpr std::size_t kMostCodes = Table::Column::kUnknown / 2;
constexpr std::size_t kMostHashed = std::size_t{1}
                                    << 16;  // a file that says more is taken for damaged

// The model file could not hold it.
void expect_utf8(const char* field, const std::string& text) {
  if (!is_utf8(text)) reject(field, text, "must be UTF-8; save the table as UTF-8");
}

template <class V>
std::vector<V> picked(const std::vector<V>& values, std::span<const std::size_t> rows) {
  std::vector<V> out;
  if (values.empty()) return out;
  out.reserve(rows.size());
  for (const std::size_t row : rows) out.push_back(values[row]);
  return out;
}

template <class V>
void put_behind(std::vector<V>& values, const std::vector<V>& more) {
  values.insert(values.end(), more.begin(), more.end());
}

}  // namespace

std::string_view to_string(ColumnSchema::Kind kind) {
  switch (kind) {
    case ColumnSchema::Kind::categorical:
      return "categorical";
    case ColumnSchema::Kind::ignored:
      return "ignored";
    case ColumnSchema::Kind::date:
      return "date";
    case ColumnSchema::Kind::numeric:
      break;
  }
  return "numeric";
}

std::string_view to_string(ColumnSchema::Form form) {
  switch (form) {
    case ColumnSchema::Form::decimal_comma:
      return "decimal_comma";
    case ColumnSchema::Form::year_first:
      return "year_first";
    case ColumnSchema::Form::day_first:
      return "day_first";
    case ColumnSchema::Form::month_first:
      return "month_first";
    case ColumnSchema::Form::decimal_point:
      break;
  }
  return "decimal_point";
}

std::string_view to_string(ColumnSchema::DatePart part) {
  switch (part) {
    case ColumnSchema::DatePart::year:
      return "year";
    case ColumnSchema::DatePart::month:
      return "month";
    case ColumnSchema::DatePart::weekday:
      return "weekday";
    case ColumnSchema::DatePart::hour:
      return "hour";
    case ColumnSchema::DatePart::trend:
      break;
  }
  return "trend";
}

bool ColumnSchema::operator==(const ColumnSchema& other) const {
  const auto all = [](const ColumnSchema& of) {
    return std::tie(of.name, of.kind, of.target, of.has_missing, of.categories, of.note, of.form,
                    of.unit, of.odd, of.parts, of.hashed);
  };
  return all(*this) == all(other);
}

std::size_t Schema::find(std::string_view name) const {
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (columns[c].name == name) return c;
  return kNone;
}

std::size_t Schema::target() const {
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (columns[c].target) return c;
  return kNone;
}

bool Schema::classifies() const {
  const std::size_t place = target();
  return place != kNone && columns[place].kind == ColumnSchema::Kind::categorical;
}

namespace {

void expect_categories(const ColumnSchema& column) {
  const std::size_t count = column.categories.size();
  const std::set<std::string_view> different(column.categories.begin(), column.categories.end());
  if (different.size() != count) reject("categories", column.name, "must have no category twice");
  if (count >= kMostCodes) reject("categories", count, "must be fewer than 2^31 - 1");
  if (column.hashed > kMostHashed) reject("hashed", column.hashed, "must be at most 65536");
  if (column.kind != ColumnSchema::Kind::categorical) {
    if (count + column.hashed > 0)
      reject("categories", column.name, "must have none, since it is not categorical");
    return;
  }
  if (count + column.hashed == 0)
    reject("categories", column.name, "must have at least one category");
  if (column.target && (count < 2 || column.hashed > 0))
    reject("categories", column.name, "must have at least two classes");
}

void expect_form(const ColumnSchema& column) {
  const bool is_date = column.kind == ColumnSchema::Kind::date;
  if (is_date_form(column.form) != is_date)
    reject("form", to_string(column.form),
           "must be one of dates for dates, and one of numbers for other columns");
  const std::set<ColumnSchema::DatePart> different(column.parts.begin(), column.parts.end());
  if (column.parts.empty() == is_date || different.size() != column.parts.size())
    reject("parts", column.name, "must be those of a date that vary, each once");
  if (is_date && column.target) reject("target", column.name, "must not be a date");
}

}  // namespace

void Schema::validate() const {
  std::set<std::string_view> names;
  std::size_t targets = 0;
  for (const std::string& word : na) expect_utf8("na", word);
  for (const ColumnSchema& column : columns) {
    expect_utf8("columns", column.name);
    for (const std::string& category : column.categories) expect_utf8("categories", category);
    for (const std::string& text : column.odd) expect_utf8("columns", text);
    if (!names.insert(column.name).second) reject("columns", column.name, "must be named once");
    targets += column.target ? 1 : 0;
    if (column.target && column.kind == ColumnSchema::Kind::ignored)
      reject("target", column.name, "must not be ignored");
    expect_categories(column);
    expect_form(column);
  }
  if (targets > 1) reject("columns", targets, "must have one target at most");
}

void TableOptions::validate() const {
  const auto byte = static_cast<unsigned char>(delimiter);
  const bool usable = delimiter == '\0' || delimiter == '\t' ||
                      ((std::ispunct(byte) != 0 || delimiter == ' ') &&
                       std::string_view("\"'.+-").find(delimiter) == std::string_view::npos);
  if (!usable)
    reject("delimiter", std::string(1, delimiter),
           "must be a tab, a space or a sign that is no part of a number or a quote");
  if (most_categories < 2) reject("most_categories", most_categories, "must be at least 2");
  if (sample_rows == 0) reject("sample_rows", sample_rows, "must be at least 1");
  if (chunk_rows == 0) reject("chunk_rows", chunk_rows, "must be at least 1");
  if (most_columns == 0) reject("most_columns", most_columns, "must be at least 1");
  if (most_bytes_per_row == 0)
    reject("most_bytes_per_row", most_bytes_per_row, "must be at least 1");
}

void keep_group(const std::string& column, TableOptions& options) {
  options.keys.push_back(column);
  const auto is_in = [&](const std::vector<std::string>& names) {
    return std::ranges::find(names, column) != names.end();
  };
  if (!is_in(options.ignored) && !is_in(options.categorical) && !is_in(options.numeric))
    options.ignored.push_back(column);
}

Table::Table(Schema schema, std::vector<Table::Column> columns)
    : schema_(std::make_shared<Schema>(std::move(schema))), columns_(std::move(columns)) {
  schema_->validate();
  if (columns_.size() != schema_->columns.size())
    reject("columns", columns_.size(), "must be as many as the schema has");
  bool counted = false;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const ColumnSchema& column = schema_->columns[c];
    const Table::Column& cells = columns_[c];
    const bool numeric =
        column.kind == ColumnSchema::Kind::numeric || column.kind == ColumnSchema::Kind::date;
    const std::size_t size = numeric ? cells.numbers.size() : cells.codes.size();
    if ((numeric ? cells.codes.size() : cells.numbers.size()) != 0 ||
        (column.kind == ColumnSchema::Kind::ignored && size != 0))
      reject("columns", column.name,
             "must have numbers if it is numeric or a date, codes if it is categorical, and "
             "nothing else");
    if (column.kind == ColumnSchema::Kind::ignored || (column.target && size == 0)) continue;
    if (counted && size != rows_)
      reject("columns", column.name, "must have as many rows as others");
    rows_ = size;
    counted = true;
    for (const double number : cells.numbers)
      if (std::isinf(number)) reject(column.name, number, "must be finite, or NaN where missing");
    if (column.kind == ColumnSchema::Kind::date)
      for (const double seconds : cells.numbers)
        if (!std::isnan(seconds) && !is_in_calendar(seconds))
          reject(column.name, seconds, "must be seconds since 1970, in a year from 0 to 9999");
    for (const std::uint32_t code : cells.codes)
      if (code >= column.categories.size() + column.hashed && code != Table::Column::kMissing &&
          code != Table::Column::kUnknown)
        reject(column.name, code, "must be the place of a category");
  }
}

bool Table::has_target() const {
  const std::size_t place = schema_->target();
  if (place == Schema::kNone) return false;
  const Table::Column& cells = columns_.at(place);
  return rows_ > 0 && cells.numbers.size() + cells.codes.size() == rows_;
}

std::vector<std::string> Table::keys(std::size_t which) const {
  return rows_ == 0 ? std::vector<std::string>() : keys_.at(which);
}

Table Table::selected(std::span<const std::size_t> rows) const {
  for (const std::size_t row : rows)
    if (row >= rows_) reject("rows", row, "must be below " + std::to_string(rows_));
  Table out;
  out.schema_ = schema_;
  for (const Table::Column& column : columns_)
    out.columns_.push_back({picked(column.numbers, rows), picked(column.codes, rows)});
  out.rows_ = rows.size();
  out.lines_ = picked(lines_, rows);
  for (const std::vector<std::string>& key : keys_) out.keys_.push_back(picked(key, rows));
  out.weights_ = picked(weights_, rows);
  return out;
}

void Table::append(const Table& more) {
  if (rows_ == 0) {
    *this = more;
    return;
  }
  if (more.rows_ == 0) return;
  if (more.schema() != schema() || more.keys_.size() != keys_.size() ||
      more.weights_.empty() != weights_.empty() || more.lines_.empty() != lines_.empty())
    reject("more", more.schema().columns.size(), "must be columns of the same schema and source");
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    put_behind(columns_[c].numbers, more.columns_[c].numbers);
    put_behind(columns_[c].codes, more.columns_[c].codes);
  }
  for (std::size_t k = 0; k < keys_.size(); ++k) put_behind(keys_[k], more.keys_[k]);
  put_behind(lines_, more.lines_);
  put_behind(weights_, more.weights_);
  rows_ += more.rows_;
}

}  // namespace postrider
