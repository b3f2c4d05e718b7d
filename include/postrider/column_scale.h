// How the values of a column become what a network sees: (value - mean) / std.
#pragma once

namespace postrider {

struct ColumnScale {
  double mean = 0, std = 1;
};

}  // namespace postrider
