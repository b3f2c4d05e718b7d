#include "events/event_rows.h"

#include "postrider/error.h"
#include "text/json_text.h"

namespace postrider::cli {
namespace {

std::string place_of(const Event& event) { return event.partition + " " + event.position; }

// As it came, or nearly so.
std::string text_of(Event event) {
  if (event.cells.empty()) return std::move(event.json);
  JsonMembers members;
  for (const auto& [name, text] : event.cells) members.emplace_back(name, json_text(text));
  return json_object(members);
}

}  // namespace

void EventRows::add(const Event& event) {
  if (!event.json.empty()) return rows_.add(event.json);
  if (event.cells.empty()) throw CorruptFile("it is empty");
  for (const auto& [name, text] : event.cells) rows_.set(name, text);
  rows_.end_row();
}

RowBatch EventRows::batch(std::vector<Event> events) {
  RowBatch out;
  for (Event& event : events) {
    std::string place = place_of(event);
    try {
      add(event);
      out.places.push_back(std::move(place));
      if (has_keys_) out.keys.push_back(rows_.key());
      out.texts.push_back(text_of(std::move(event)));
    } catch (const Error& error) {
      rows_.drop_row();
      out.refusals.push_back({std::move(place), error.what(), text_of(std::move(event))});
    }
  }
  out.table = rows_.finish();
  return out;
}

}  // namespace postrider::cli
