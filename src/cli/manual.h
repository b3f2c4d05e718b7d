// The manual page, in the language of man.
#pragma once

#include <string>

#include "cli/description.h"

namespace postrider::cli {

std::string manual_page(const ProgramDescription& program);

}  // namespace postrider::cli
