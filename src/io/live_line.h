// One line on the terminal that is written again and again.
#pragma once

#include <chrono>
#include <string>

namespace postrider::cli {

class LiveLine {
 public:
  // Where standard error is not a terminal, a log has a line now and then: after ten seconds, and later when a tenth of
  // the time has passed.
  explicit LiveLine(bool quiet);
  ~LiveLine();
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;

  bool is_terminal() const { return shown_; }
  void show(const std::string& text);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  bool is_due();

  bool shown_, logs_;
  std::size_t width_ = 0;  // of what stands there
  Clock::time_point begin_ = Clock::now(), last_ = begin_;
};

}  // namespace postrider::cli
