// How far a program is behind the events of its source.
#pragma once

#include <limits>
#include <string>

namespace postrider::cli {

// Each source counts in one unit as long as it is there: whoever draws a curve of it must not find another one in an outage.
struct StreamLag {
  enum class Unit { none, events, seconds };  // none: a file, whose end nobody knows

  Unit unit = Unit::none;
  double value = std::numeric_limits<double>::quiet_NaN();  // not a number: nobody knows just now

  // "17 events", "0.4 s", "none" or "unknown"; empty without a unit.
  std::string text() const;
};

}  // namespace postrider::cli
