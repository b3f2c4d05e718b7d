// The call of `postrider train` that makes a model again.
#pragma once

#include <string>
#include <vector>

#include "postrider/table_model.h"

namespace postrider::cli {

// As one word if the value begins with a dash, since it would be taken for an option.
void add_option_words(const std::string& name, const std::string& value,
                      std::vector<std::string>& to);

// The whole call, for a shell, but for the name of the file.
std::string training_command(const TableModel& model);

}  // namespace postrider::cli
