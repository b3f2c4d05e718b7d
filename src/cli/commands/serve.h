// postrider serve: predictions over HTTP.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/exit_code.h"

namespace postrider::cli {

struct ServeRequest {
  std::vector<std::string> models;  // FILE, NAME=FILE or NAME:VERSION=FILE
  std::string tokens;               // a file; empty: everybody may ask
  std::string host = "127.0.0.1";
  int port = 8080;                                        // 0: one that is free
  std::vector<std::string> hosts = {};                    // names that clients may know it by
  std::size_t connections = 512;                          // at a time
  std::size_t most_rows = 10'000, most_bytes = 16 << 20;  // of a request
  double most_seconds = 30;                               // for a body, or an answer, to travel
  double grace_seconds = 10;                              // for what has begun, after SIGTERM
  double watch_seconds = 1;                               // how often the file is looked at
  bool any_model = false;  // a new version may take and predict other columns
  bool quiet = false;
};

ExitCode serve(const ServeRequest& request);

}  // namespace postrider::cli
