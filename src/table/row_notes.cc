#include "table/row_notes.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "table/json_reading.h"

namespace postrider::internal {
namespace {

using namespace json_reading;

constexpr std::uint64_t kProfileVersion = 1;

// Sums of whole numbers must not overflow.
constexpr std::size_t kMostRows = std::numeric_limits<std::size_t>::max() / 16;
constexpr std::size_t kMostKept = 1024, kMostDigests = 1024;

// --- columns -----------------------------------------------------------------------------------------

Json to_json(const TableProfile::Column& column) {
  Json out{{"name", column.name}, {"rows", column.rows}, {"missing", column.missing}};
  if (!column.knots.empty()) {
    out["range"] = {column.least, column.largest};
    out["magnitude"] = column.magnitude;
    out["knots"] = column.knots;
  }
  out["counts"] = column.counts;
  return out;
}

std::size_t rows_of(const Json& json) {
  const std::size_t rows = count_of(json);
  if (rows > kMostRows) throw Malformed();
  return rows;
}

void expect_numbers(const std::vector<double>& numbers) {
  if (!std::all_of(numbers.begin(), numbers.end(), [](double each) { return std::isfinite(each); }))
    throw Malformed();
}

void read_numbers(const Json& json, TableProfile::Column& to) {
  if (!json.contains("knots")) return;
  to.knots = numbers_of(json["knots"]);
  const std::vector<double> range = numbers_of(at(json, "range"));
  to.magnitude = number_of(at(json, "magnitude"));
  expect_numbers(to.knots);
  expect_numbers(range);
  const auto is_ascending = std::adjacent_find(to.knots.begin(), to.knots.end(),
                                               std::greater_equal<>()) == to.knots.end();
  if (to.knots.empty() || !is_ascending || range.size() != 2 || !(range[0] <= range[1]) ||
      !(to.magnitude >= 0 && std::isfinite(to.magnitude)))
    throw Malformed();
  to.least = range[0];
  to.largest = range[1];
}

TableProfile::Column column_of(const Json& json, const ColumnSchema& schema) {
  TableProfile::Column out{text_of(at(json, "name")), schema.kind, schema.target, schema.hashed};
  if (out.name != schema.name) throw Malformed();
  out.rows = rows_of(at(json, "rows"));
  out.missing = rows_of(at(json, "missing"));
  if (out.missing > out.rows) throw Malformed();
  for (const Json& count : list_at(json, "counts")) out.counts.push_back(rows_of(count));
  std::size_t bins = schema.categories.size() + schema.hashed + 1;
  if (schema.kind != ColumnSchema::Kind::categorical) {
    read_numbers(json, out);
    bins = out.knots.empty() ? 0 : out.knots.size() + 1;
  }
  if (out.counts.size() != bins) throw Malformed();
  return out;
}

// --- rows that are kept ------------------------------------------------------------------------------

Json to_json(std::int32_t cell) { return cell == TableProfile::kNoPosition ? Json() : Json(cell); }

std::int32_t cell_of(const Json& json) {
  if (json.is_null()) return TableProfile::kNoPosition;
  if (!json.is_number_integer()) throw Malformed();
  const auto cell = json.get<std::int64_t>();
  if (cell <= INT32_MIN || cell > INT32_MAX) throw Malformed();
  return static_cast<std::int32_t>(cell);
}

void read_kept(const Json& json, TableProfile& to) {
  to.rows = rows_of(at(json, "rows"));
  to.stride = rows_of(at(json, "stride"));
  if (to.stride == 0) throw Malformed();
  std::size_t inputs = 0;
  for (const TableProfile::Column& column : to.columns) inputs += column.target ? 0 : 1;
  for (const Json& row : list_at(json, "kept")) {
    if (!row.is_array() || row.size() != inputs || to.kept.size() == kMostKept) throw Malformed();
    std::vector<std::int32_t>& cells = to.kept.emplace_back();
    for (const Json& cell : row) cells.push_back(cell_of(cell));
  }
}

// Files of before have none.
void read_sample(const Json& json, TableProfile::Sample& to) {
  if (!json.contains("sample")) return;
  for (const Json& each : list_at(json, "sample")) {
    if (!each.is_array() || each.size() != 2 || to.rows.size() == TableProfile::Sample::kMost)
      throw Malformed();
    to.rows[count_of(each[0])] = rows_of(each[1]);
  }
}

void read_columns(const Json& list, const Schema& schema, TableProfile& to) {
  std::size_t c = 0;
  for (const Json& each : list) {
    while (c < schema.columns.size() && schema.columns[c].kind == ColumnSchema::Kind::ignored) ++c;
    if (c == schema.columns.size()) throw Malformed();
    to.columns.push_back(column_of(each, schema.columns[c++]));
  }
}

}  // namespace

Json profile_json(const TableProfile& profile, const std::vector<RowMonitor::Digest>& learned) {
  Json columns = Json::array(), kept = Json::array(), digests = Json::array();
  for (const TableProfile::Column& column : profile.columns) columns.push_back(to_json(column));
  for (const std::vector<std::int32_t>& row : profile.kept) {
    Json& cells = kept.emplace_back(Json::array());
    for (const std::int32_t cell : row) cells.push_back(to_json(cell));
  }
  for (const RowMonitor::Digest& each : learned)
    digests.push_back({each.rows, each.first, each.second});
  Json sample = Json::array();
  for (const auto& [hash, count] : profile.sample.rows) sample.push_back({hash, count});
  return {{"version", kProfileVersion}, {"columns", std::move(columns)},
          {"rows", profile.rows},       {"stride", profile.stride},
          {"kept", std::move(kept)},    {"learned", std::move(digests)},
          {"sample", std::move(sample)}};
}

void read_profile(const Json& json, const Schema& schema, TableProfile& profile,
                  std::vector<RowMonitor::Digest>& learned) {
  // A later version may say more; what it means is not known here, and the model predicts all the same.
  if (count_of(at(json, "version")) > kProfileVersion) return;
  read_columns(list_at(json, "columns"), schema, profile);
  read_kept(json, profile);
  read_sample(json, profile.sample);
  for (const Json& each : list_at(json, "learned")) {
    if (!each.is_array() || each.size() != 3 || learned.size() == kMostDigests) throw Malformed();
    learned.push_back({count_of(each[0]), count_of(each[1]), count_of(each[2])});
  }
}

namespace {

std::uint32_t code_of(const Json& value) {
  const std::size_t out = count_of(value);
  if (out > Table::Column::kMissing) throw Malformed();
  return static_cast<std::uint32_t>(out);
}

// A cell for each row, but for ignored columns.
Table::Column column_of(const Json& cells, ColumnSchema::Kind kind, std::size_t rows) {
  if (!cells.is_array() || cells.size() != (kind == ColumnSchema::Kind::ignored ? 0 : rows))
    throw Malformed();
  Table::Column out;
  for (const Json& cell : cells) {
    if (kind == ColumnSchema::Kind::categorical)
      out.codes.push_back(code_of(cell));
    else
      out.numbers.push_back(number_of(cell));
  }
  return out;
}

}  // namespace

// Column by column: lists of texts and numbers are read in a time that grows as they do.
nlohmann::ordered_json waiting_json(const TableModel::Waiting& waiting) {
  Json columns = Json::array();
  for (std::size_t c = 0; c < waiting.rows.schema().columns.size(); ++c) {
    const Table::Column& column = waiting.rows.column(c);
    columns.push_back(column.codes.empty() ? Json(column.numbers) : Json(column.codes));
  }
  return {{"column", waiting.column},
          {"events", waiting.events},
          {"numbers", waiting.numbers},
          {"keys", waiting.keys},
          {"columns", std::move(columns)}};
}

TableModel::Waiting read_waiting(const nlohmann::ordered_json& json, const Schema& schema) {
  TableModel::Waiting out;
  out.column = text_of(at(json, "column"));
  out.events = count_of(at(json, "events"));
  for (const Json& number : list_at(json, "numbers")) out.numbers.push_back(count_of(number));
  for (const Json& key : list_at(json, "keys")) out.keys.push_back(text_of(key));
  const std::vector<std::uint64_t>& numbers = out.numbers;
  // No two rows are the same event, and none is yet to come.
  const bool ascends = std::ranges::adjacent_find(numbers, std::greater_equal()) == numbers.end();
  if (out.column.empty() || numbers.size() != out.keys.size() || !ascends ||
      (!numbers.empty() && (numbers.front() == 0 || numbers.back() > out.events)))
    throw Malformed();
  const Json& lists = list_at(json, "columns");
  if (numbers.empty()) return out;
  if (lists.size() != schema.columns.size()) throw Malformed();
  std::vector<Table::Column> columns;
  for (std::size_t c = 0; c < schema.columns.size(); ++c)
    columns.push_back(column_of(lists[c], schema.columns[c].kind, numbers.size()));
  out.rows = Table(schema, std::move(columns));
  return out;
}

}  // namespace postrider::internal
