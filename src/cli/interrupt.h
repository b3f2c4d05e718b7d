// Ctrl-C, and the signals of a system that shuts down, as a question that long work asks now and then.
#pragma once

#include <array>
#include <csignal>

#include "cli/exit_code.h"

namespace postrider::cli {

// While one lives, the first SIGINT, SIGTERM or SIGHUP is only noted; the second of its kind ends the
// program as usual. A SIGHUP that is ignored, as under nohup, stays ignored.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  bool interrupted() const;
  // What to end with: ok if nothing came, else 128 and the signal's number, as shells have it.
  ExitCode exit_code() const;
  // The same for what runs until it is stopped: SIGTERM is its regular end.
  ExitCode exit_code_of_service() const;

  static constexpr std::array<int, 3> kSignals{SIGINT, SIGTERM, SIGHUP};

 private:
  std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace postrider::cli
