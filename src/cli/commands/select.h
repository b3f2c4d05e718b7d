// postrider select: the rows of a pool whose labels would teach a model most.
#pragma once

#include <string>

#include "cli/data.h"
#include "cli/exit_code.h"
#include "postrider/row_selection.h"

namespace postrider::cli {

struct SelectRequest {
  std::string model;
  DataRequest data;     // the pool
  std::string learned;  // a file with the rows that the model learned; none if empty
  std::string output;
  bool force = false;  // replaces a file of another kind
  SelectionOptions selection;
  bool json = false;
};

ExitCode select(const SelectRequest& request);

}  // namespace postrider::cli
