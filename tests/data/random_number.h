// Decimal numbers as text, and near misses.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "base/random.h"

namespace postrider {
using namespace internal;

inline std::uint64_t bits(double x) {
  std::uint64_t out = 0;
  std::memcpy(&out, &x, sizeof out);
  return out;
}

inline std::string random_number(RandomStream& random) {
  std::string out = random.below(2) == 0 ? "-" : "";
  for (std::uint64_t k = random.below(12); k > 0; --k)
    out += static_cast<char>('0' + random.below(10));
  if (random.below(3) > 0) {
    out += '.';
    for (std::uint64_t k = random.below(12); k > 0; --k)
      out += static_cast<char>('0' + random.below(10));
  }
  if (random.below(3) == 0) {
    out += random.below(2) == 0 ? 'e' : 'E';
    const std::uint64_t sign = random.below(3);
    out += sign == 0 ? "" : sign == 1 ? "-" : "+";
    out += std::to_string(random.below(random.below(2) == 0 ? 30 : 400));
  }
  return out;
}

}  // namespace postrider
