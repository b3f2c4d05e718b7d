#include "cli/json_rows.h"

#include <nlohmann/json.hpp>

#include "postrider/error.h"

namespace postrider::cli {
namespace {

using Json = nlohmann::json;

constexpr int kDeepest = 4;  // {"rows": [{"column": value}]} has three levels
constexpr const char* kObject = "must be a JSON object: {\"column\": value, ...}";

// Hostile text could nest without end.
Json parsed(const std::string& text) {
  const auto bounded = [](int depth, Json::parse_event_t, const Json&) {
    if (depth > kDeepest) throw CorruptFile("its JSON is nested too deeply");
    return true;
  };
  return Json::parse(text, bounded, /*allow_exceptions=*/false);
}

std::string text_of(const Json& value, const std::string& name) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.dump();
  throw CorruptFile("column \"" + name + "\": must be a number, a text, true, false or null");
}

void set_cells(const Json& row, const Schema& schema, TableBuilder& to) {
  if (!row.is_object()) throw CorruptFile(kObject);
  for (const auto& [name, value] : row.items()) {
    const std::size_t column = schema.find(name);
    if (column == Schema::kNone) continue;
    if (value.is_number())
      to.set(column, value.get<double>());
    else
      to.set(column, std::string_view(text_of(value, name)));
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
  const Json body = parsed(text);
  const Json* list = &body;
  if (body.is_object() && body.contains("rows") && body["rows"].is_array()) list = &body["rows"];
  const std::size_t before = builder_.rows();
  try {
    if (list->is_array() && list->size() > most)
      throw CorruptFile("has " + std::to_string(list->size()) + " rows; at most " +
                        std::to_string(most) + " are accepted");
    if (list->is_array()) {
      for (const Json& row : *list) {
        set_cells(row, schema_, builder_);
        builder_.end_row();
      }
    } else {
      set_cells(*list, schema_, builder_);
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
