#include "base/shuffle.h"

#include <gtest/gtest.h>

#include <array>
#include <map>

namespace postrider {
using namespace internal;
namespace {

TEST(Shuffle, EveryOrderIsAsLikely) {
  constexpr int kDraws = 60'000;
  constexpr double kExpected = kDraws / 6.0;
  constexpr double kChiSquared = 25;  // five degrees of freedom: exceeded once in 7000 seeds
  RandomStream random(1, 0);
  std::map<std::array<std::size_t, 3>, int> seen;
  for (int i = 0; i < kDraws; ++i) {
    const std::vector<std::size_t> order = random_order(3, random);
    ASSERT_EQ(order.size(), 3u);
    ++seen[{order[0], order[1], order[2]}];
  }
  ASSERT_EQ(seen.size(), 6u);  // and no other
  double sum = 0;
  for (const auto& [order, count] : seen)
    sum += (count - kExpected) * (count - kExpected) / kExpected;
  EXPECT_LT(sum, kChiSquared);
}

TEST(Shuffle, IsAFunctionOfTheStream) {
  RandomStream one(7, 3), same(7, 3), other(7, 4);
  const std::vector<std::size_t> order = random_order(20, one);
  EXPECT_EQ(random_order(20, same), order);
  EXPECT_NE(random_order(20, other), order);
}

TEST(Shuffle, NothingAndOneStayAsTheyAre) {
  RandomStream random(1, 0);
  EXPECT_TRUE(random_order(0, random).empty());
  EXPECT_EQ(random_order(1, random), std::vector<std::size_t>{0});
}

}  // namespace
}  // namespace postrider
