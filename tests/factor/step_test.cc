#include "factor/step.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.h"

namespace postrider::graph {
using namespace internal;
namespace {

constexpr double kRounding = 1e-11;
constexpr std::size_t kRows = 37;  // whole vectors, and a rest

struct Rows {
  std::vector<double> sign, noise, mean, variance, log_z, g1, g2;

  explicit Rows(std::size_t count) : log_z(count), g1(count), g2(count) {
    RandomStream random(3, 0);
    for (std::size_t i = 0; i < count; ++i) {
      sign.push_back(random.normal() > 0 ? 1 : -1);
      noise.push_back(random.log_uniform(1e-3, 10));
      mean.push_back(2 * random.normal());
      variance.push_back(random.log_uniform(1e-3, 10));
    }
  }
  void derive(SimdLevel level) {
    step_derivatives({sign, noise, mean, variance}, {log_z, g1, g2}, level);
  }
};

// log Phi(t), t = sign mean/sqrt(c), c = variance + noise; with h = phi(t)/Phi(t), its derivatives by the
// mean are sign h/sqrt(c) and -h (h + t)/c.
TEST(Step, DerivativesAreThoseOfTheDistributionFunction) {
  for (const SimdLevel level : SimdLevel::available()) {
    Rows rows(kRows);
    rows.derive(level);
    for (std::size_t i = 0; i < kRows; ++i) {
      const long double c = rows.variance[i] + rows.noise[i];
      const long double t = rows.sign[i] * rows.mean[i] / sqrtl(c);
      const long double below = 0.5L * erfcl(-t / sqrtl(2));
      const long double hazard = expl(-0.5L * t * t) / sqrtl(2 * acosl(-1.0L)) / below;
      const double log_z = static_cast<double>(logl(below));
      const double g1 = static_cast<double>(rows.sign[i] * hazard / sqrtl(c));
      const double g2 = static_cast<double>(hazard * (hazard + t) / c);
      EXPECT_NEAR(rows.log_z[i], log_z, kRounding * (1 + std::abs(log_z))) << level.name();
      EXPECT_NEAR(rows.g1[i], g1, kRounding * std::abs(g1)) << level.name();
      EXPECT_NEAR(rows.g2[i], g2, kRounding * (1 + g2)) << level.name();
    }
  }
}

TEST(Step, LanesDoNotSeeTheirNeighbours) {
  for (const SimdLevel level : SimdLevel::available()) {
    Rows together(kRows);
    together.derive(level);
    for (std::size_t i = 0; i < kRows; ++i) {
      double log_z = 0, g1 = 0, g2 = 0;
      const auto one = [&](const std::vector<double>& of) { return std::span(of).subspan(i, 1); };
      step_derivatives(
          {one(together.sign), one(together.noise), one(together.mean), one(together.variance)},
          {{&log_z, 1}, {&g1, 1}, {&g2, 1}}, level);
      EXPECT_EQ(together.log_z[i], log_z) << level.name();
      EXPECT_EQ(together.g1[i], g1) << level.name();
      EXPECT_EQ(together.g2[i], g2) << level.name();
    }
  }
}

}  // namespace
}  // namespace postrider::graph
