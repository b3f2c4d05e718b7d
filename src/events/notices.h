// What a person should know of a stream while it runs.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "io/drift_metrics.h"
#include "postrider/table_model.h"
#include "text/json_text.h"

namespace postrider::cli {

// Where notices of a source go: a line each.
using Tell = std::function<void(const std::string&)>;

// For a person, and the same as fields for a program.
struct StreamNotice {
  std::string text;
  JsonMembers fields;  // kind, and what belongs to it
};

// Columns that do not look as in the rows learned before, and sudden changes of how well rows are predicted: each is told once.
class StreamNotices {
 public:
  // The rows learned by now are what later ones are compared with.
  explicit StreamNotices(const TableModel& model);

  void add(const Table& rows);
  // Names the first column that in the last rows seems to be in another unit: what update refuses; empty if there is none.
  std::string other_unit() const;
  // Rows that were learned before this stream, or from an earlier part of it.
  RepeatWatch::Found repeated() const { return repeats_.found(); }
  // Those that are new since the last call.
  std::vector<StreamNotice> fresh(const TableModel& model);

 private:
  DriftWindow drift_;
  // The last few hundred rows by themselves: many good rows before them must not hide another unit.
  DriftWatch latest_;
  TableProfile profile_;
  RepeatWatch repeats_;
  bool is_repeated_ = false;       // which was told
  std::set<std::string> columns_;  // that were told
  std::size_t changes_;            // that were told, or were there before
};

}  // namespace postrider::cli
