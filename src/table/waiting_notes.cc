#include "table/waiting_notes.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "table/json_reading.h"

namespace postrider::internal {
namespace {

using namespace json_reading;

std::uint32_t code_of(const Json& value) {
  const std::size_t out = count_of(value);
  if (out > TableColumn::kMissing) throw Malformed();
  return static_cast<std::uint32_t>(out);
}

// A cell for each row, but for ignored columns.
TableColumn column_of(const Json& cells, ColumnKind kind, std::size_t rows) {
  if (!cells.is_array() || cells.size() != (kind == ColumnKind::ignored ? 0 : rows))
    throw Malformed();
  TableColumn out;
  for (const Json& cell : cells) {
    if (kind == ColumnKind::categorical)
      out.codes.push_back(code_of(cell));
    else
      out.numbers.push_back(number_of(cell));
  }
  return out;
}

}  // namespace

// Column by column: lists of texts and numbers are read in a time that grows as they do.
nlohmann::ordered_json waiting_json(const WaitingRows& waiting) {
  Json columns = Json::array();
  for (std::size_t c = 0; c < waiting.rows.schema().columns.size(); ++c) {
    const TableColumn& column = waiting.rows.column(c);
    columns.push_back(column.codes.empty() ? Json(column.numbers) : Json(column.codes));
  }
  return {{"column", waiting.column},
          {"events", waiting.events},
          {"numbers", waiting.numbers},
          {"keys", waiting.keys},
          {"columns", std::move(columns)}};
}

WaitingRows read_waiting(const nlohmann::ordered_json& json, const Schema& schema) {
  WaitingRows out;
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
  std::vector<TableColumn> columns;
  for (std::size_t c = 0; c < schema.columns.size(); ++c)
    columns.push_back(column_of(lists[c], schema.columns[c].kind, numbers.size()));
  out.rows = Table(schema, std::move(columns));
  return out;
}

}  // namespace postrider::internal
