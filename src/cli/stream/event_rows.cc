#include "cli/stream/event_rows.h"

#include "postrider/error.h"

namespace postrider::cli {
namespace {

std::string place_of(const Event& event) { return event.partition + " " + event.position; }

}  // namespace

void EventRows::add(const Event& event) {
  if (!event.json.empty()) return rows_.add(event.json);
  if (event.cells.empty()) throw CorruptFile("it is empty");
  for (const auto& [name, text] : event.cells) rows_.set(name, text);
  rows_.end_row();
}

RowBatch EventRows::batch(std::span<const Event> events, const std::string& source) {
  RowBatch out;
  out.after.source = source;
  for (const Event& event : events) {
    out.after.partitions[event.partition] = event.position;
    try {
      add(event);
      out.places.push_back(place_of(event));
    } catch (const Error& error) {
      rows_.drop_row();
      if (out.refused++ == 0) out.first_refusal = place_of(event) + ": " + error.what();
    }
  }
  out.table = rows_.finish();
  return out;
}

}  // namespace postrider::cli
