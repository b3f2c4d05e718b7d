// One line on the terminal that is written again and again.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "postrider/table_model.h"
#include "postrider/trainer.h"

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

// How an epoch's numbers become those of the target's unit.
struct ScoreUnit {
  double deviation = 1;  // of the target, and 1 for classes
  bool has_noise = true;
};

// What the line says after each epoch, and guesses the time that is left at most.
class EpochLine {
 public:
  EpochLine(const TrainerOptions& options, ScoreUnit unit) : options_(options), unit_(unit) {}
  // Training ends after so many seconds at the latest.
  std::string after(const EpochReport& report, double most_seconds);

 private:
  double seconds_left(const EpochReport& report) const;

  TrainerOptions options_;
  ScoreUnit unit_;
  double seconds_ = 0;  // of the epochs that were told
  std::size_t epochs_ = 0, begun_ = 0;
};

// What it says before that, while encodings race, and how long the race takes at most.
class ChoosingLine {
 public:
  std::string after(const ChoosingReport& report);

 private:
  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> first_ = {};  // when the first epoch was over
};

std::string stream_line(const StreamProgress& progress);

}  // namespace postrider::cli
