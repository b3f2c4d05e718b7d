// What to worry about beside the figures of a model, on rows that it has not learned.
#pragma once

#include <vector>

#include "postrider/evaluation.h"
#include "table/group_coverage.h"
#include "table/state.h"
#include "warnings/table_check.h"

namespace postrider::internal {

// The figures are there by now, with their warning.
std::vector<TableWarning> evaluation_warnings(const TableModelState& state,
                                              const TableEvaluation& figures,
                                              const GroupCoverage& coverage);

// By the rows of training that networks left out. The estimator has just learned all rows that were checked and have a target.
void add_coverage_warnings(TableModelState& state, const TableCheckState& checked,
                           std::vector<TableWarning>& to);

}  // namespace postrider::internal
