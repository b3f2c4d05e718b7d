// Models that are served over HTTP until somebody ends it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

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

// What the world outside may ask of a server while it runs; both questions are put again and again.
struct ServeQuestions {
  std::function<bool()> should_end;
  std::function<bool()>
      should_look;  // at the files of models and tokens at once; true once for each time that it was asked
};

// Throws InvalidArgument for what cannot be asked for, and where the program was built without HTTP.
void serve_models(const ServeRequest& request, const ServeQuestions& questions);

}  // namespace postrider::cli
