// Files to which a stream appends a line of JSON for each event: predictions, and what made no sense.
#pragma once

#include <cstddef>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "events/follow.h"
#include "events/row_stream.h"
#include "io/output.h"
#include "io/predicted_columns.h"

namespace postrider::cli {

// Lines that are appended to a file, or to standard output: a stream has no end at which a file could appear.

class AppendedFile {
 public:
  // None if the path is empty. Throws as expect_writable() does, so that no file of another kind, nor one that the command
  // reads or writes, is spoilt.
  AppendedFile(const OutputTarget& target, const OutputKind& kind);

  bool is_open() const { return !path_.empty(); }
  void add(const std::string& line);  // with its end
  void flush();                       // throws FileError if anything did not arrive

 private:
  std::string path_;
  std::optional<std::ofstream> file_;  // none: standard output
};

// Each with the event's place, and how many events ahead it was predicted.
class EventPredictions {
 public:
  EventPredictions(const StreamRequest& request, const TableModel& model);

  void add(const TableModel::Prediction& prediction, const Table& table,
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
