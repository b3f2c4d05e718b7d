// A noisy sine, in units of one's choice.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.h"

namespace postrider {
using namespace internal;

struct Sine {
  std::vector<double> x, y;
};

inline constexpr double kSineNoise = 0.2;  // deviation

// x between -3 and 3.
inline Sine noisy_sine(std::size_t rows, std::uint64_t seed) {
  Sine out;
  RandomStream random(seed, 0);
  for (std::size_t i = 0; i < rows; ++i) {
    out.x.push_back(random.uniform(-3, 3));
    out.y.push_back(std::sin(out.x.back()) + kSineNoise * random.normal());
  }
  return out;
}

class NoisySine : public testing::Test {
 protected:
  const Sine training = noisy_sine(400, 1), held_out = noisy_sine(1000, 2);
};

}  // namespace postrider
