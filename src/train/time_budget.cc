#include "postrider/time_budget.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <utility>

#include "postrider/error.h"

namespace postrider {
using namespace internal;

TimeBudget::TimeBudget(double seconds) {
  constexpr double kForever = 1e9;
  if (!(seconds > 0)) reject("time_budget", seconds, "must be a number of seconds above 0");
  const auto time = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(std::min(seconds, kForever)));
  const Clock::time_point now = Clock::now();
  half_ = now + time / 2;
  end_ = now + time;
}

double TimeBudget::seconds_left() const {
  if (end_ == Clock::time_point::max()) return std::numeric_limits<double>::infinity();
  return std::max(0.0, std::chrono::duration<double>(end_ - Clock::now()).count());
}

TrainingCallbacks TimeBudget::limiting(TrainingCallbacks callbacks) const {
  if (end_ == Clock::time_point::max()) return callbacks;
  const auto has_epoch = std::make_shared<std::atomic<bool>>(false);
  TrainingCallbacks out = callbacks;
  out.progress = [self = *this, has_epoch,
                  told = std::move(callbacks.progress)](const EpochReport& report) {
    *has_epoch = true;
    return (!told || told(report)) && !self.is_over();
  };
  out.interrupted = [self = *this, has_epoch, is_asked = std::move(callbacks.interrupted)] {
    return (is_asked && is_asked()) || (*has_epoch && self.is_over());
  };
  out.ends_choosing = [half = half_, is_asked = std::move(callbacks.ends_choosing)] {
    return (is_asked && is_asked()) || Clock::now() >= half;
  };
  out.ends_first_epoch = [self = *this, is_asked = std::move(callbacks.ends_first_epoch)] {
    return (is_asked && is_asked()) || self.is_over();
  };
  return out;
}

}  // namespace postrider
