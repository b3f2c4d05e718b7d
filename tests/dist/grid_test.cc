#include "dist/grid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace postrider {
namespace {

constexpr std::size_t kWeights = 20;

template <class T>
WeightMessages<T> prior() {
  WeightMessages<T> out(kWeights);
  for (std::size_t k = 0; k < kWeights; ++k) {
    out.rho[k] = static_cast<T>(0.3 * static_cast<double>(k + 1));
    out.tau[k] = static_cast<T>(std::sin(static_cast<double>(k)));
  }
  return out;
}

template <class T>
struct Messages {
  std::vector<T> tau, rho;
};

template <class T>
Messages<T> drawn(std::uint64_t number, double size) {
  RandomStream random(7, number);
  Messages<T> out;
  for (std::size_t k = 0; k < kWeights; ++k) {
    out.tau.push_back(static_cast<T>(size * random.normal()));
    out.rho.push_back(static_cast<T>(size * random.uniform()));
  }
  return out;
}

template <class T>
class GridTest : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(GridTest, Types);

TYPED_TEST(GridTest, MessagesOfAnySizeAreWholeNumbersOfUnits) {
  using T = TypeParam;
  const Grid<T> grid(prior<T>());
  const std::vector<T> nothing(kWeights);
  for (const double size : {1e-9, 1e-3, 1.0, 1e4}) {
    Messages<T> message = drawn<T>(1, size);
    const Messages<T> before = message;
    WeightMessages<T> belief = prior<T>();
    std::vector<double> change(2 * kWeights);
    ASSERT_EQ(grid.round(message.tau, message.rho, nothing, nothing, belief, change),
              Grid<T>::kNone);
    for (std::size_t k = 0; k < kWeights; ++k) {
      const double unit =
          std::exp2(std::floor(std::log2(static_cast<double>(prior<T>().rho[k]))) - 24);
      EXPECT_EQ(std::fmod(static_cast<double>(message.rho[k]), unit), 0);
      EXPECT_NEAR(static_cast<double>(message.rho[k]), static_cast<double>(before.rho[k]),
                  unit / 2);
      EXPECT_EQ(change[kWeights + k], static_cast<double>(message.rho[k]) / unit);
      // The belief follows.
      EXPECT_EQ(belief.rho[k], prior<T>().rho[k] + (message.rho[k] - before.rho[k]));
      EXPECT_EQ(belief.tau[k], prior<T>().tau[k] + (message.tau[k] - before.tau[k]));
    }
  }
}

TYPED_TEST(GridTest, SumsDoNotDependOnTheOrderAndGoBackToNothing) {
  using T = TypeParam;
  const Grid<T> grid(prior<T>());
  const std::vector<T> nothing(kWeights);
  std::vector<Messages<T>> messages;
  UnitSums forwards(2 * kWeights), backwards = forwards, by_changes = forwards;
  for (std::uint64_t m = 0; m < 50; ++m) {
    messages.push_back(drawn<T>(m, std::exp2(static_cast<double>(m % 17) - 8)));
    WeightMessages<T> belief = prior<T>();
    std::vector<double> change(2 * kWeights);
    grid.round(messages.back().tau, messages.back().rho, nothing, nothing, belief, change);
    for (std::size_t k = 0; k < change.size(); ++k)
      by_changes[k] += static_cast<std::int64_t>(change[k]);
  }
  for (const Messages<T>& message : messages) grid.add(message.tau, message.rho, forwards);
  std::ranges::reverse(messages);
  for (const Messages<T>& message : messages) grid.add(message.tau, message.rho, backwards);
  EXPECT_EQ(forwards, backwards);
  EXPECT_EQ(forwards, by_changes);
  WeightMessages<T> belief;
  grid.belief(UnitSums(2 * kWeights), belief);
  EXPECT_EQ(belief.tau, prior<T>().tau);
  EXPECT_EQ(belief.rho, prior<T>().rho);
}

TYPED_TEST(GridTest, AMessageThatIsTooLargeIsNamed) {
  using T = TypeParam;
  const Grid<T> grid(prior<T>());
  const std::vector<T> nothing(kWeights);
  for (const T bad : {static_cast<T>(1e12), std::numeric_limits<T>::quiet_NaN()}) {
    Messages<T> message = drawn<T>(1, 1);
    message.rho[13] = bad;
    WeightMessages<T> belief = prior<T>();
    std::vector<double> change(2 * kWeights);
    EXPECT_EQ(grid.round(message.tau, message.rho, nothing, nothing, belief, change), 13U);
  }
}

}  // namespace
}  // namespace postrider
