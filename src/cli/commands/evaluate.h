// postrider evaluate: how good a model's predictions are on rows that it has not seen.
#pragma once

#include <string>

#include "cli/data.h"
#include "cli/exit_code.h"

namespace postrider::cli {

struct EvaluateRequest {
  std::string model;
  DataRequest data;
  std::string output;  // rows as CSV; empty: none
  bool force = false;  // replaces a file of another kind
  bool json = false;
};

ExitCode evaluate(const EvaluateRequest& request);

}  // namespace postrider::cli
