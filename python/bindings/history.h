// What an estimator was trained by, and what its model file says of it as a table.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "postrider/table_model.h"

namespace postrider::python {

using Notes = std::map<std::string, std::string>;

// The columns that an array or a frame had: inputs, the target, and its classes, if any.
struct Columns {
  std::vector<ColumnSchema> inputs;
  std::string target;
  std::vector<std::string> classes;
  std::vector<std::string> na = {};  // see Schema
};

class History {
 public:
  History() = default;
  // From a file that was read; empty if it has no table.
  explicit History(const Notes& notes);

  void fitted(std::size_t rows, const std::vector<FitReport>& reports);
  void learned_more(const StreamReport& report);

  const std::vector<TableModel::Step>& steps() const { return steps_; }
  // Notes for a file that the command line reads. A table that was read is kept.
  Notes notes(const Notes& read, const Columns& columns) const;

 private:
  std::vector<TableModel::Step> steps_;
};

}  // namespace postrider::python
