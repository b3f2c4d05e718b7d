// postrider inspect: what a model file holds.
#pragma once

#include <string>

#include "cli/exit_code.h"

namespace postrider::cli {

struct InspectRequest {
  std::string model;
  bool json = false;
};

ExitCode inspect(const InspectRequest& request);

}  // namespace postrider::cli
