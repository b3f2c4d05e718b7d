#include "events/broker_wait.h"

#include <fmt/format.h>

#include "postrider/error.h"

namespace postrider::cli {
namespace {

constexpr double kReminder = 30;  // seconds

double seconds_since(std::chrono::steady_clock::time_point time) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - time).count();
}

}  // namespace

void BrokerWait::missing(const std::string& why) {
  const Clock::time_point now = Clock::now();
  why_ = why;
  const bool is_new = !is_missing_;
  if (is_new) {
    is_missing_ = true;
    since_ = now;
  }
  const bool is_bounded = !has_answered_ || how_.until_end;
  if (is_bounded && seconds_since(since_) >= how_.patience)
    throw FileError(address_ + ": " + why, address_);
  if (!is_new && seconds_since(told_) < kReminder) return;
  told_ = now;
  tell(is_bounded ? fmt::format("{}; waiting for it, {:g} s at most", why, how_.patience)
       : is_new   ? fmt::format("{}; waiting for it", why)
                  : fmt::format("{}; waiting for it since {:.0f} s", why, seconds_since(since_)));
}

void BrokerWait::answers() {
  if (is_missing_) tell(fmt::format("it answers again, after {:.0f} s", seconds_since(since_)));
  is_missing_ = false;
  has_answered_ = true;
}

std::string BrokerWait::outage() const {
  if (is_missing_) return address_ + ": " + why_;
  return has_answered_ ? "" : address_ + ": has not answered yet";
}

}  // namespace postrider::cli
