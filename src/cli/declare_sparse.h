// The commands of sparse models, with their options.
#pragma once

#include "cli/declare.h"

namespace postrider::cli {

void declare_sparse(CLI::App& app, Action& chosen);

}  // namespace postrider::cli
