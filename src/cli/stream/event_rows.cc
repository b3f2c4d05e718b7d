#include "cli/stream/event_rows.h"

#include <nlohmann/json.hpp>

#include "postrider/error.h"

namespace postrider::cli {
namespace {

constexpr int kDeepest = 4;  // of a JSON text; an object of cells has two levels

std::string place_of(const Event& event) { return event.partition + " " + event.position; }

// Hostile text could nest without end.
nlohmann::json parsed(const std::string& text) {
  const auto bounded = [](int depth, nlohmann::json::parse_event_t, const nlohmann::json&) {
    if (depth > kDeepest) throw CorruptFile("its JSON is nested too deeply");
    return true;
  };
  return nlohmann::json::parse(text, bounded, /*allow_exceptions=*/false);
}

std::string text_of(const nlohmann::json& value, const std::string& name) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean()) return value.dump();
  throw CorruptFile("column \"" + name + "\": must be a number, a text, true, false or null");
}

}  // namespace

void EventRows::set(const std::string& name, const std::string& text) {
  const std::size_t column = schema_.find(name);
  if (column != Schema::kNone) builder_.set(column, std::string_view(text));
}

void EventRows::add_json(const std::string& text) {
  const nlohmann::json row = parsed(text);
  if (!row.is_object()) throw CorruptFile("must be a JSON object: {\"column\": value, ...}");
  for (const auto& [name, value] : row.items())
    if (schema_.find(name) != Schema::kNone) set(name, text_of(value, name));
}

void EventRows::add(const Event& event) {
  if (!event.json.empty()) return add_json(event.json);
  if (event.cells.empty()) throw CorruptFile("it is empty");
  for (const auto& [name, text] : event.cells) set(name, text);
}

RowBatch EventRows::batch(std::span<const Event> events, const std::string& source) {
  RowBatch out;
  out.after.source = source;
  for (const Event& event : events) {
    out.after.partitions[event.partition] = event.position;
    try {
      add(event);
      builder_.end_row();
      out.places.push_back(place_of(event));
    } catch (const Error& error) {
      builder_.drop_row();
      if (out.refused++ == 0) out.first_refusal = place_of(event) + ": " + error.what();
    }
  }
  out.table = builder_.finish();
  return out;
}

}  // namespace postrider::cli
