#include <gtest/gtest.h>

#include "complaint.h"
#include "sparse/shared_sums.h"

namespace postrider::internal::hashed {
namespace {

// A message of tau and rho, as often as 1000 times, times the prior N(0, 4).
TEST(WeightUnits, AddUpToTheProduct) {
  const WeightUnits grid(std::vector<float>{2, 4});
  std::int64_t tau = 0, rho = 0;
  ASSERT_TRUE(grid.round(1, 0.123, 0.0456, tau, rho));
  float mean = 0, variance = 0;
  grid.belief(1, 1000 * tau, 1000 * rho, mean, variance);
  const double precision = 0.25 + 45.6;
  EXPECT_NEAR(static_cast<double>(variance), 1 / precision, 1e-6 / precision);
  EXPECT_NEAR(static_cast<double>(mean), 123 / precision, 3e-6);
  grid.belief(0, 0, 0, mean, variance);
  EXPECT_EQ(mean, 0);
  EXPECT_EQ(variance, 2);
}

TEST(WeightUnits, RefuseWhatIsTooLarge) {
  const WeightUnits grid(std::vector<float>{1});
  std::int64_t tau = 0, rho = 0;
  EXPECT_TRUE(grid.round(0, -1e8, 1e8, tau, rho));
  EXPECT_FALSE(grid.round(0, 1e9, 1, tau, rho));
  EXPECT_FALSE(grid.round(0, 1, 1e9, tau, rho));
}

TEST(SpreadState, HasAFixedPrior) {
  const auto state = spread_state({}, {.input_square = 4, .location = 3, .unit = 2});
  EXPECT_EQ(state->linear.prior()[0], static_cast<float>(0.01 / 4));
  EXPECT_EQ(state->location, 3);
  EXPECT_EQ(state->unit, 2);
  EXPECT_EQ(complaint([] { spread_state({.latent = 2}, {}); }),
            "latent = 2: must be 0 where weights are spread over processes");
  EXPECT_EQ(complaint([] { spread_state({.drift = true}, {}); }),
            "drift = \"yes\": must be off where weights are spread over processes");
  EXPECT_EQ(complaint([] { spread_state({}, {.input_square = 0}); }),
            "input_square = 0: must be a finite number above 0");
}

}  // namespace
}  // namespace postrider::internal::hashed
