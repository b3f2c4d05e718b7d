// A model that predicts and learns the rows of a stream as they come.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "io/open_table.h"

namespace postrider::cli {

struct StreamRequest {
  std::string model;
  DataRequest data;         // the path is the stream's address
  std::string broker;       // file with settings of the connection; empty: none
  std::string output;       // where the model goes; empty: in place
  std::string predictions;  // where predictions are appended; empty: nowhere
  std::string refused;      // where events that made no sense are appended; empty: nowhere
  std::string join;         // column by whose value late targets find their row; empty: none do
  std::size_t join_window = 10'000;  // events that a row waits for its target
  std::string log = "text";
  std::string on_change;       // command that is told of changes; empty: none
  std::optional<int> metrics;  // port
  double level = 0.9;          // of their intervals
  std::size_t batch = 256;     // events at most that are taken at a time
  std::size_t events = 0;      // after which it ends; 0: never
  double save_seconds = 10;
  double patience = 30;  // seconds, with a broker that does not answer
  bool follow = false, until_end = false, no_learning = false, anyway = false, force = false,
       quiet = false, leave_waiting = false;  // rows that wait, without --join
};

// Until the stream ends, where it does, or somebody ends it; the model's file has all that was learned by then.
void follow(const StreamRequest& request, const std::function<bool()>& should_end);

}  // namespace postrider::cli
