// What train tells of its cross-validation.
#pragma once

#include <string>
#include <vector>

#include "io/output.h"
#include "postrider/table_model.h"

namespace postrider::cli {

// `how` is said behind "cross-validation".
std::string folds_text(const TableModel& model, const TableValidation& found,
                       const std::string& how);

OutputKind out_of_fold_kind();
// Rows of a table that one model has not learned.
struct LeftOutRows {
  const TableModel& model;
  std::vector<std::size_t> rows;
};
std::vector<LeftOutRows> left_out_rows(const TableValidation& found);
// Row numbers of the table from 1, targets, keys, and what the model that has not learned the row predicts, in the
// columns that predict writes.
void write_out_of_fold(const Table& table, const std::vector<LeftOutRows>& parts,
                       const std::vector<std::string>& keys, const std::string& path);

}  // namespace postrider::cli
