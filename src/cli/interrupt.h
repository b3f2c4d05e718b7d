// Ctrl-C as a question that long work asks now and then.
#pragma once

#include <csignal>

namespace postrider::cli {

// While one lives, the first Ctrl-C is only noted; the second ends the program as usual.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  bool interrupted() const;

 private:
  struct sigaction before_ {};
};

}  // namespace postrider::cli
