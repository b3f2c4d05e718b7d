#include "events/event_source.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "postrider/error.h"

namespace postrider::cli {
std::optional<std::uint64_t> number_at(const TableModel::StreamPosition& position,
                                       const std::string& partition) {
  const auto known = position.partitions.find(partition);
  if (known == position.partitions.end()) return {};
  const std::string& text = known->second;
  std::uint64_t out = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size())
    throw CorruptFile("the model has no number as its position in " + position.source + ", " +
                      partition + ": \"" + text + "\"");
  return out;
}

void expect_learned(const std::string& path, const std::string& partition, std::uint64_t found,
                    std::uint64_t learned) {
  if (found >= learned) return;
  throw CorruptFile(path + ": has " + std::to_string(found) + " " + partition +
                    ", but the model has learned " + std::to_string(learned) +
                    " of a file of this name, which must have been another one: give the new file "
                    "a name of its own");
}

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

std::string StreamLag::text() const {
  if (unit == Unit::none) return {};
  if (std::isnan(value)) return "unknown";
  if (unit == Unit::events) return fmt::format("{:.0f} event{}", value, value == 1 ? "" : "s");
  return value == 0 ? "none" : fmt::format("{:.1f} s", value);
}

}  // namespace postrider::cli
