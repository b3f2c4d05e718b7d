#include "cli/json_rows.h"

#include <nlohmann/json.hpp>

#include "postrider/error.h"

namespace postrider::cli {
namespace {

using ReadJson = nlohmann::json;

constexpr int kDeepest = 4;  // {"rows": [{"column": value}]} has three levels
constexpr const char* kObject = "must be a JSON object: {\"column\": value, ...}";

// Hostile text could nest without end.
ReadJson parsed(const std::string& text) {
  const auto bounded = [](int depth, ReadJson::parse_event_t, const ReadJson&) {
    if (depth > kDeepest) throw CorruptFile("its JSON is nested too deeply");
    return true;
  };
  try {
    return ReadJson::parse(text, bounded);
  } catch (const ReadJson::out_of_range&) {
    throw CorruptFile("a number of its JSON is too large: must be below 1.8e308");
  } catch (const ReadJson::exception&) {
    return ReadJson(ReadJson::value_t::discarded);
  }
}

std::string text_of(const ReadJson& value, const std::string& name) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.dump();
  throw CorruptFile("column \"" + name + "\": must be a number, a text, true, false or null");
}

// Returns how many of the inputs are named.
std::size_t set_cells(const ReadJson& row, const Schema& schema, TableBuilder& to) {
  std::size_t out = 0;
  if (!row.is_object()) throw CorruptFile(kObject);
  for (const auto& [name, value] : row.items()) {
    const std::size_t column = schema.find(name);
    if (column == Schema::kNone) continue;
    const ColumnSchema& known = schema.columns[column];
    out += known.target || known.kind == ColumnKind::ignored ? 0 : 1;
    if (value.is_number())
      to.set(column, value.get<double>());
    else
      to.set(column, std::string_view(text_of(value, name)));
  }
  return out;
}

// A row without any of the model's columns is one of another table.
void set_some_cells(const ReadJson& row, const Schema& schema, TableBuilder& to) {
  constexpr std::size_t kMostNamed = 20;
  if (set_cells(row, schema, to) > 0) return;
  std::string names;
  std::size_t inputs = 0;
  for (const ColumnSchema& column : schema.columns) {
    if (column.target || column.kind == ColumnKind::ignored || ++inputs > kMostNamed) continue;
    names += (names.empty() ? "" : ", ") + column.name;
  }
  if (inputs > kMostNamed) names += " and " + std::to_string(inputs - kMostNamed) + " more";
  throw CorruptFile("has none of the columns that the model knows: " + names);
}

// With its number, for the user.
void end_numbered_row(const ReadJson& from, std::size_t row, const Schema& schema,
                      TableBuilder& to) {
  try {
    set_some_cells(from, schema, to);
    to.end_row();
  } catch (const CorruptFile& error) {
    throw CorruptFile("row " + std::to_string(row + 1) + ": " + error.what());
  }
}

}  // namespace

void JsonRows::set(std::string_view column, std::string_view text) {
  const std::size_t place = schema_.find(column);
  if (place != Schema::kNone) builder_.set(place, text);
}

void JsonRows::add(const std::string& object) {
  try {
    set_cells(parsed(object), schema_, builder_);
  } catch (...) {
    builder_.drop_row();
    throw;
  }
  builder_.end_row();
}

std::size_t JsonRows::add_all(const std::string& text, std::size_t most) {
  const ReadJson body = parsed(text);
  const ReadJson* list = &body;
  if (body.is_object() && body.contains("rows") && body["rows"].is_array()) list = &body["rows"];
  const std::size_t before = builder_.rows();
  try {
    if (list->is_array() && list->size() > most)
      throw CorruptFile("has " + std::to_string(list->size()) + " rows; at most " +
                        std::to_string(most) + " are accepted");
    if (list->is_array()) {
      for (std::size_t row = 0; row < list->size(); ++row)
        end_numbered_row((*list)[row], row, schema_, builder_);
    } else {
      set_some_cells(*list, schema_, builder_);
      builder_.end_row();
    }
  } catch (...) {
    builder_.drop_row();
    static_cast<void>(builder_.finish());
    throw;
  }
  return builder_.rows() - before;
}

}  // namespace postrider::cli
