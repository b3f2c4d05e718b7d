// Ctrl-C, and the signals of a system that shuts down, as a question that long work asks now and then.
#pragma once

#include <array>
#include <csignal>

#include "cli/program.h"

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

// SIGHUP, for a program that serves: somebody asks it to look at its files again, or its terminal is gone.
// While one lives, SIGHUP is only noted. Made after an InterruptWatch, which it takes the signal from; one that is ignored, as
// under nohup, stays ignored.
class HangUpWatch {
 public:
  HangUpWatch();
  ~HangUpWatch();
  HangUpWatch(const HangUpWatch&) = delete;
  HangUpWatch& operator=(const HangUpWatch&) = delete;

  // Whether it was sent since the last call by somebody who wants files to be looked at.
  bool is_asked_to_look();
  // Whether it was sent since the program has no terminal any more, although it had one: whoever started it there has left.
  bool has_lost_terminal() const;

 private:
  bool had_terminal_;
  struct sigaction before_ {};
};

}  // namespace postrider::cli
