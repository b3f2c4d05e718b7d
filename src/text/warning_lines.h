// What there is to worry about, for people.
#pragma once

#include <string>
#include <vector>

#include "postrider/table_warnings.h"

namespace postrider::cli {

// Those that the others do not have.
std::vector<TableWarning> without(const std::vector<TableWarning>& all,
                                  const std::vector<TableWarning>& others);
std::vector<TableWarning> without(std::vector<TableWarning> all, TableWarning::Kind kind);

// Below a headline, each with what mends it; empty if there is none.
std::string warnings_text(const std::vector<TableWarning>& warnings);

}  // namespace postrider::cli
