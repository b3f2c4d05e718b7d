// Training in a thread of its own, while the thread that called watches: it tells Python of epochs and
// hears signals. The threads that train never ask for the interpreter.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "postrider/time_budget.h"
#include "postrider/training.h"

namespace postrider::python {

class Watch {
 public:
  // With these, training asks and tells this watch, which must outlive it.
  TrainingCallbacks callbacks();

  // The next call of run() has this time, from now on; 0: any.
  void end_after(double seconds) { budget_ = seconds > 0 ? TimeBudget(seconds) : TimeBudget(); }

  // Runs `training`, and tells `progress` (None, or a callable) of every epoch; it ends training by
  // returning False. One that has a method `choosing` is told of the race of encodings, too. Returns whether Ctrl-C ended training. Whatever else Python raised meanwhile ends
  // it, too, and is raised once it has ended. To be called with the interpreter's lock held.
  bool run(const std::function<void()>& training, nanobind::object progress);

 private:
  struct News {
    std::optional<TrainingCallbacks::Choosing> choosing = {};
    std::vector<EpochReport> epochs = {};
    bool is_done = false;
  };
  bool tell(const EpochReport& report);
  News wait();

  std::mutex mutex_;
  std::condition_variable news_;
  News told_;  // not yet to Python
  std::vector<std::string> warnings_;
  std::atomic<bool> cancelled_ = false;
  TimeBudget budget_ = {};
};

}  // namespace postrider::python
