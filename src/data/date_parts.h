// What a network is told of dates.
//
//   trend    days since 1970, with their fraction
//   year     its number
//   month    from 1, and the place in the year as a sine and a cosine
//   weekday  from 0, Monday, and the place in the week as a sine and a cosine
//   hour     with its fraction, and the place in the day as a sine and a cosine
//
// A number alone would tear Sunday and Monday, December and January apart; the pair alone would hide a single day.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "postrider/table.h"

namespace postrider::internal {

inline constexpr std::size_t kDateParts = 5;

// Which parts vary over some dates.
class DatePartsSeen {
 public:
  void add(double seconds);
  std::vector<DatePart> varying() const;

 private:
  bool any_ = false;
  std::array<double, kDateParts> first_{};
  std::array<bool, kDateParts> varies_{};
};

// Names of the inputs of these parts, in order: "trend", "year", "month", "month, sine", ...
std::vector<std::string> input_names(std::span<const DatePart> parts);
// No more than three of each part.
inline constexpr std::size_t kMostDateInputs = 3 * kDateParts;
// Puts as many numbers; NaN for a date that is missing.
void put_date_inputs(std::span<const DatePart> parts, double seconds, double* to);

}  // namespace postrider::internal
