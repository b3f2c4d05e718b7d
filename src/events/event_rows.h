// Events as rows of a table.
#pragma once

#include <cstddef>
#include <vector>

#include "events/event_source.h"
#include "events/row_stream.h"
#include "io/json_rows.h"

namespace postrider::cli {

// What makes no sense is counted, never an error: a stream must not end for one event.
class EventRows {
 public:
  // The values of the key's column are kept as texts, if it has a name.
  EventRows(const Schema& schema, const std::string& key)
      : rows_(schema, key), has_keys_(!key.empty()) {}
  RowBatch batch(std::vector<Event> events);

 private:
  void add(const Event& event);

  JsonRows rows_;
  bool has_keys_;
};

}  // namespace postrider::cli
