// Columns that name rows rather than say something about them.
#pragma once

#include <string>
#include <vector>

#include "postrider/table.h"

namespace postrider::cli {

struct Identifier {
  std::string column;
  bool is_input = false;  // the model would learn from it
};

// Texts of which nearly all differ, and whole numbers that are all different and lie close together, as numbers that
// were counted up do.
std::vector<Identifier> identifiers_of(const Table& table);
// What a user can do with them; empty if there are none.
std::string identifiers_text(const std::vector<Identifier>& found);

}  // namespace postrider::cli
