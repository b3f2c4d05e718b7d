// Training in a thread of its own, while the thread that called watches: it tells Python of epochs and
// hears signals. The threads that train never ask for the interpreter.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "postrider/trainer.h"

namespace postrider::python {

class Watch {
 public:
  // With these, training asks and tells this watch, which must outlive it.
  TrainingCallbacks callbacks();

  // From now on; training that is not over by then ends as if `progress` had asked for it, but not before its first epoch is over. Trials that come
  // before it take half of the time at most.
  void end_after(double seconds);

  // Runs `training`, and tells `progress` (None, or a callable) of every epoch; it ends training by
  // returning False. Returns whether Ctrl-C ended training. Whatever else Python raised meanwhile ends
  // it, too, and is raised once it has ended. To be called with the interpreter's lock held.
  bool run(const std::function<void()>& training, nanobind::object progress);

 private:
  bool tell(const EpochReport& report);
  std::vector<EpochReport> wait(bool& is_done);

  std::mutex mutex_;
  std::condition_variable news_;
  std::vector<EpochReport> reports_;  // not yet told
  std::vector<std::string> warnings_;
  bool is_done_ = false;
  std::atomic<bool> cancelled_ = false, has_epoch_ = false;
  using Clock = std::chrono::steady_clock;
  Clock::time_point half_ = Clock::time_point::max(), end_ = Clock::time_point::max();
};

}  // namespace postrider::python
