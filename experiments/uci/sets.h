// The UCI regression sets with their fixed splits.
#pragma once

#include <string>
#include <vector>

#include "common/text_table.h"

namespace postrider::experiments {

struct Rows {
  std::vector<double> inputs, targets;
};

struct UciSet {
  std::string name;
  NumberTable table;                             // the last column is the target
  std::vector<std::vector<std::size_t>> splits;  // rows to test on

  std::size_t inputs() const { return table.columns - 1; }
  // The rows of one split for training (false) or testing (true).
  Rows rows(std::size_t split, bool testing) const;
};

UciSet read_uci_set(const std::string& data, const std::string& name);

// All nine, in the order in which papers list them.
std::vector<std::string> uci_names();

}  // namespace postrider::experiments
