// The tabular classification sets as numbers: one column per numeric feature and per level of a
// categorical one.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace postrider::experiments {

struct LabelledRows {
  std::vector<double> inputs;
  std::vector<std::size_t> labels;
};

struct EncodedSet {
  std::string name;
  std::size_t columns = 0, classes = 0;
  LabelledRows all;
  std::vector<std::vector<std::size_t>> folds;  // rows to test on

  // The rows of one fold for training (false) or testing (true).
  LabelledRows rows(std::size_t fold, bool testing) const;
};

// A level that is missing ("?") is a level like any other.
EncodedSet read_tabular_set(const std::string& data, const std::string& name);

std::vector<std::string> tabular_names();

}  // namespace postrider::experiments
