// Points in the plane with classes.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

#include "base/random.h"

namespace postrider {
using namespace internal;

struct Labelled {
  std::vector<double> x;
  std::vector<std::size_t> y;
};

// The signs of two coordinates decide together; a share of the labels is wrong.
inline constexpr double kFlipped = 0.1;
inline Labelled noisy_xor(std::size_t rows, std::uint64_t seed, double flipped = kFlipped) {
  Labelled out;
  RandomStream random(seed, 0);
  for (std::size_t i = 0; i < rows; ++i) {
    const double a = random.uniform(-1, 1), b = random.uniform(-1, 1);
    out.x.insert(out.x.end(), {a, b});
    out.y.push_back(((a > 0) != (b > 0)) != (random.uniform() < flipped) ? 1 : 0);
  }
  return out;
}

// Rings around the origin, of radius 1, 2, 3, ... and deviation 0.2.
inline Labelled rings(std::size_t rows, std::size_t classes, std::uint64_t seed) {
  Labelled out;
  RandomStream random(seed, 0);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t ring = random.below(classes);
    const double radius = static_cast<double>(ring) + 1 + 0.2 * random.normal();
    const double angle = random.uniform(0, 2 * std::numbers::pi);
    out.x.insert(out.x.end(), {radius * std::cos(angle), radius * std::sin(angle)});
    out.y.push_back(ring);
  }
  return out;
}

}  // namespace postrider
