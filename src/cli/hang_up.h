// SIGHUP, for a program that serves: somebody asks it to look at its files again, or its terminal is gone.
#pragma once

#include <csignal>

namespace postrider::cli {

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
