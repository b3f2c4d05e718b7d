// Times and what is said of several of them.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace postrider::bench {

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Takes a list that is not empty; the upper one of the two middle values.
inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}
inline double least(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}

// Calls run until `repeats` times were taken and `seconds` have passed; the first call warms up and
// does not count.
template <class Run>
std::vector<double> times_of(std::size_t repeats, double seconds, Run&& run) {
  run();
  std::vector<double> out;
  for (const Stopwatch all; out.size() < repeats || all.seconds() < seconds;) {
    const Stopwatch one;
    run();
    out.push_back(one.seconds());
  }
  return out;
}

}  // namespace postrider::bench
