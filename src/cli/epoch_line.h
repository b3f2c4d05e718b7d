// What a line on the terminal says while a model is trained.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "postrider/table_model.h"
#include "postrider/trainer.h"

namespace postrider::cli {

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
