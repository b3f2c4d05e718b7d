// Scripts that let a shell complete commands, options and files.
#pragma once

#include <string>

#include "cli/description.h"

namespace postrider::cli {

// The script for bash, zsh or fish. Throws InvalidArgument for others.
std::string completion_script(const ProgramDescription& program, const std::string& shell);

}  // namespace postrider::cli
