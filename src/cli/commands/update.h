// postrider update: a model goes on learning from new rows.
#pragma once

#include <string>

#include "cli/data.h"
#include "cli/exit_code.h"

namespace postrider::cli {

struct UpdateRequest {
  std::string model;
  DataRequest data;
  std::string output;   // empty: in place
  bool force = false;   // replaces a file of another kind
  bool anyway = false;  // also rows that were learned already, or are in another unit
  bool quiet = false, json = false;
};

ExitCode update(const UpdateRequest& request);

}  // namespace postrider::cli
