// Values in a random order.
#pragma once

#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "base/random.h"

namespace postrider::internal {

// Every order as likely (Fisher and Yates).
template <class V>
void shuffle_in_place(std::vector<V>& values, RandomStream& random) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random.below(i)]);
}

// 0 ... count - 1.
inline std::vector<std::size_t> random_order(std::size_t count, RandomStream& random) {
  std::vector<std::size_t> out(count);
  std::iota(out.begin(), out.end(), std::size_t{0});
  shuffle_in_place(out, random);
  return out;
}

}  // namespace postrider::internal
