// postrider serve: predictions over HTTP.
#pragma once

#include <cstddef>
#include <string>

#include "cli/exit_code.h"

namespace postrider::cli {

struct ServeRequest {
  std::string model;
  std::string host = "127.0.0.1";
  int port = 8080;                                        // 0: one that is free
  std::size_t connections = 64;                           // that are answered at a time
  std::size_t most_rows = 10'000, most_bytes = 16 << 20;  // of a request
  double watch_seconds = 1;                               // how often the file is looked at
  bool quiet = false;
};

ExitCode serve(const ServeRequest& request);

}  // namespace postrider::cli
