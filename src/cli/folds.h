// What train tells of its cross-validation.
#pragma once

#include <string>

#include "cli/output.h"
#include "postrider/table_model.h"

namespace postrider::cli {

std::string folds_text(const TableModel& model, const TableValidation& found);

OutputKind out_of_fold_kind();
// Row numbers of the table from 1, targets, and what the model that has not learned the row predicts, in
// the columns that predict writes.
void write_out_of_fold(const Table& table, const TableValidation& found, const std::string& path);

}  // namespace postrider::cli
