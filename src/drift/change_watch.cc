#include "drift/change_watch.h"

#include <algorithm>
#include <cmath>

#include "postrider/error.h"

namespace postrider::internal {

// Means with the weight 1/n, n being the rows known, until the memory is full. What surprises is learned as far as it
// may surprise: the first rows after a change would else make the deviation so large that those after them are none.
void ChangeWatch::learn(double log_density) {
  const double most = kMostSurprise * std::sqrt(variance_);
  double off = log_density - mean_;
  if (known_ >= kFewest && most > 0) off = std::clamp(off, -most, most);
  ++known_;
  const double weight = 1 / std::min(static_cast<double>(known_), kMemory);
  mean_ += weight * off;
  variance_ = (1 - weight) * (variance_ + weight * off * off);
}

std::optional<Change> ChangeWatch::observe(double log_density, std::size_t rows) {
  if (!std::isfinite(log_density)) return {};
  const std::size_t row = rows_;
  rows_ += rows;
  const double lost = mean_ - log_density, deviation = std::sqrt(variance_);
  const bool can_surprise = known_ >= kFewest && deviation > 0;
  if (can_surprise) {
    const double surprise = std::clamp(lost / deviation, -kMostSurprise, kMostSurprise);
    if (sum_ == 0) {
      began_ = row;
      lost_ = 0;
    }
    lost_ += lost * static_cast<double>(rows);
    sum_ = std::max(0.0, sum_ + surprise - kAllowance);
  }
  learn(log_density);
  if (sum_ <= kAlarm) return {};
  const Change out{began_, rows_ - 1, lost_ / static_cast<double>(rows_ - began_)};
  known_ = 0;
  mean_ = variance_ = sum_ = lost_ = 0;
  return out;
}

std::vector<double> ChangeWatch::numbers() const {
  return {static_cast<double>(rows_),
          static_cast<double>(known_),
          mean_,
          variance_,
          sum_,
          static_cast<double>(began_),
          lost_};
}

ChangeWatch ChangeWatch::of(const std::vector<double>& numbers) {
  if (numbers.size() != kNumbers) reject("numbers", numbers.size(), "must be seven");
  const auto count = [&](std::size_t at) {
    constexpr double kMost = 1e15;  // a double counts so far
    const double value = numbers[at];
    if (!(value >= 0 && value <= kMost && value == std::floor(value)))
      reject("numbers", value, "must be a number of rows");
    return static_cast<std::size_t>(value);
  };
  for (const double value : numbers)
    if (!std::isfinite(value)) reject("numbers", value, "must be finite");
  if (numbers[3] < 0) reject("numbers", numbers[3], "must be a variance");
  if (!(numbers[4] >= 0 && numbers[4] <= kAlarm))
    reject("numbers", numbers[4], "must be a sum of surprises");
  ChangeWatch out;
  out.rows_ = count(0);
  out.known_ = count(1);
  out.mean_ = numbers[2];
  out.variance_ = numbers[3];
  out.sum_ = numbers[4];
  out.began_ = count(5);
  out.lost_ = numbers[6];
  return out;
}

}  // namespace postrider::internal
