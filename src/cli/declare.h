// Which commands there are, with their options. What reads them is CLI11.
#pragma once

#include <functional>

#include "cli/exit_code.h"

namespace CLI {
class App;
}

namespace postrider::cli {

// What a command does once its options are read.
using Action = std::function<ExitCode()>;

// The command that is called leaves what it will do in `chosen`, which must outlive the app.
void declare_commands(CLI::App& app, Action& chosen);

}  // namespace postrider::cli
