#include "math/normal_mixture.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "base/random.h"

namespace postrider {
using namespace internal;
namespace {

// In long double, by the C library.
struct Exact {
  long double below = 0, density = 0;
};

TEST(NormalMixture, SumsAreThoseOfTheParts) {
  RandomStream random(5, 0);
  for (const std::size_t count : {1U, 2U, 7U, 16U, 29U, 464U}) {
    NormalMixture mixture;
    std::vector<std::array<double, 3>> parts;
    for (std::size_t k = 0; k < count; ++k) {
      parts.push_back({random.uniform() / static_cast<double>(count), 3 * random.normal(),
                       std::exp(2 * random.normal())});
      mixture.add(parts[k][0], parts[k][1], parts[k][2]);
    }
    ASSERT_EQ(mixture.size(), count);
    for (const double x : {-1e6, -30.0, -3.0, 0.0, 0.1, 2.0, 40.0, 1e6}) {
      Exact exact;
      for (const auto& [weight, mean, deviation] : parts) {
        const long double z = (static_cast<long double>(x) - mean) / deviation;
        exact.below += 0.5L * weight * std::erfc(-z / std::numbers::sqrt2_v<long double>);
        exact.density += weight * std::exp(-0.5L * z * z) /
                         (deviation * std::sqrt(2 * std::numbers::pi_v<long double>));
      }
      for (const SimdLevel level : SimdLevel::available()) {
        const BelowAndDensity found = mixture.at(x, level);
        EXPECT_NEAR(found.below, static_cast<double>(exact.below),
                    1e-13 * static_cast<double>(exact.below) + 1e-300)
            << level.name() << " at " << x;
        EXPECT_NEAR(found.density, static_cast<double>(exact.density),
                    1e-12 * static_cast<double>(exact.density) + 1e-300)
            << level.name() << " at " << x;
      }
    }
  }
}

}  // namespace
}  // namespace postrider
