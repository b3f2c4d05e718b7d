// The library's messages in the words of the command line.
#pragma once

#include <string>

namespace postrider::cli {

// A message about a field of the table's options, `ignored = "id": ...`, names the option that the user wrote: `--ignore = "id": ...`.
std::string spelled(const std::string& message);

}  // namespace postrider::cli
