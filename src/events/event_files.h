// Files to which a stream appends a line of JSON for each event: predictions, and what made no sense.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "events/appended_file.h"
#include "events/follow.h"
#include "events/row_stream.h"
#include "io/predicted_columns.h"

namespace postrider::cli {

// Each with the event's place, and how many events ahead it was predicted.
class EventPredictions {
 public:
  EventPredictions(const StreamRequest& request, const TableModel& model);

  void add(const TablePrediction& prediction, const Table& table,
           std::span<const std::string> places, std::size_t ahead);
  void flush() { file_.flush(); }

 private:
  AppendedFile file_;
  PredictRequest request_;
  PredictedColumns columns_;
};

// For whoever wants to mend them.
class RefusedEvents {
 public:
  explicit RefusedEvents(const StreamRequest& request);

  void add(const std::vector<Refusal>& refusals);

 private:
  AppendedFile file_;
};

}  // namespace postrider::cli
