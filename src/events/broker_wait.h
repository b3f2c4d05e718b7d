// How long a broker that does not answer is waited for, and what the user is told meanwhile.
#pragma once

#include <chrono>
#include <string>

#include "events/event_source.h"

namespace postrider::cli {

// At the beginning an address may be wrong, and whoever wants to read to the end wants an end. Whoever
// follows a stream is not served by a program that is gone when the broker is back.
class BrokerWait {
 public:
  BrokerWait(const StreamAddress& address, const StreamOpening& how)
      : address_(address.text), how_(how) {}

  // Tells it at once, and every half minute. Throws FileError if that was too long.
  void missing(const std::string& why);
  // Tells it, if it was missing.
  void answers();
  bool is_missing() const { return is_missing_; }
  bool has_answered() const { return has_answered_; }
  // What is wrong; empty if the broker answers.
  std::string outage() const;
  bool stops() const { return how_.stops && how_.stops(); }
  void tell(const std::string& what) const { how_.tell(address_ + ": " + what); }

 private:
  using Clock = std::chrono::steady_clock;

  std::string address_;
  StreamOpening how_;
  bool is_missing_ = false, has_answered_ = false;
  std::string why_;
  Clock::time_point since_ = {}, told_ = {};
};

}  // namespace postrider::cli
