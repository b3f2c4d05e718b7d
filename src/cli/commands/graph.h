// postrider graph: a network's factor graph in Graphviz's language.
#pragma once

#include <cstddef>
#include <string>

#include "cli/exit_code.h"

namespace postrider::cli {

struct GraphRequest {
  std::string model;
  std::string output;
  bool force = false;      // replaces a file of another kind
  std::size_t member = 1;  // from 1
  bool full = false;
};

ExitCode graph(const GraphRequest& request);

}  // namespace postrider::cli
