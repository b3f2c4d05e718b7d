// Events as rows of a table.
#pragma once

#include <cstddef>
#include <span>

#include "cli/stream/event_source.h"
#include "cli/stream/row_stream.h"
#include "postrider/table_builder.h"

namespace postrider::cli {

// Columns are taken by their names; others are passed over, and those that an event does not have are missing. What
// makes no sense is counted, never an error: a stream must not end for one event.
class EventRows {
 public:
  explicit EventRows(const Schema& schema) : schema_(schema), builder_(schema) {}
  RowBatch batch(std::span<const Event> events, const std::string& source);

 private:
  void add(const Event& event);
  void add_json(const std::string& text);
  void set(const std::string& name, const std::string& text);

  Schema schema_;
  TableBuilder builder_;
};

}  // namespace postrider::cli
