// What a model file says about its table, as JSON in the notes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "table/state.h"

namespace postrider::internal {

using Notes = std::map<std::string, std::string>;

// With the profile and the baseline.
Notes notes_of(const TableModelState& state);

struct ReadNotes {
  TableEncoding encoding;
  std::vector<TableModel::Step> history;
  TableProfile profile = {};
  std::vector<RowMonitor::Digest> learned = {};
  std::optional<Baseline> baseline = {};
  TableModel::Waiting waiting = {};
};
// Throws Error, naming the file, if there are none or they make no sense.
ReadNotes read_notes(const std::string& path, const Notes& notes);

}  // namespace postrider::internal
