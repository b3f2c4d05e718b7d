#include "distributed/grid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace postrider::distributed {
using namespace internal;
namespace {

constexpr std::size_t kWeights = 20;
const TouchedWeights kAll = TouchedWeights::all(kWeights);

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
    ASSERT_EQ(grid.round(kAll, message.tau, message.rho, nothing, nothing, belief, change),
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
    grid.round(kAll, messages.back().tau, messages.back().rho, nothing, nothing, belief, change);
    for (std::size_t k = 0; k < change.size(); ++k)
      by_changes[k] += static_cast<std::int64_t>(change[k]);
  }
  for (const Messages<T>& message : messages) grid.add(kAll, message.tau, message.rho, forwards);
  std::ranges::reverse(messages);
  for (const Messages<T>& message : messages) grid.add(kAll, message.tau, message.rho, backwards);
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
    EXPECT_EQ(grid.round(kAll, message.tau, message.rho, nothing, nothing, belief, change), 13U);
  }
}

// A message about some weights does what one about all does that says nothing of the others.
TYPED_TEST(GridTest, MessagesAboutSomeWeights) {
  using T = TypeParam;
  const Grid<T> grid(prior<T>());
  const std::vector<std::uint32_t> inputs{0, 2, 3};
  const TouchedWeights touched{
      {2, 4, 2, 4}, false, inputs};  // two blocks of four inputs, and four weights more
  const std::vector<std::size_t> places{0, 1, 4, 5, 6, 7, 8, 9, 12, 13, 14, 15, 16, 17, 18, 19};
  ASSERT_EQ(touched.size(), places.size());
  Messages<T> whole = drawn<T>(3, 1), some;
  for (std::size_t k = 0; k < kWeights; ++k)
    if (std::ranges::find(places, k) == places.end()) whole.tau[k] = whole.rho[k] = 0;
  for (const std::size_t k : places) {
    some.tau.push_back(whole.tau[k]);
    some.rho.push_back(whole.rho[k]);
  }
  const std::vector<T> nothing(kWeights);
  WeightMessages<T> belief = prior<T>(), same = prior<T>();
  std::vector<double> change(2 * kWeights), same_change(2 * kWeights);
  grid.round(kAll, whole.tau, whole.rho, nothing, nothing, belief, change);
  grid.round(touched, some.tau, some.rho, nothing, nothing, same, same_change);
  EXPECT_EQ(change, same_change);
  EXPECT_EQ(belief.tau, same.tau);
  EXPECT_EQ(belief.rho, same.rho);
  for (std::size_t m = 0; m < places.size(); ++m) EXPECT_EQ(some.rho[m], whole.rho[places[m]]);
  UnitSums sums(2 * kWeights), same_sums(2 * kWeights);
  grid.add(kAll, whole.tau, whole.rho, sums);
  grid.add(touched, some.tau, some.rho, same_sums);
  EXPECT_EQ(sums, same_sums);
  some.rho[9] = static_cast<T>(1e30);
  EXPECT_EQ(grid.round(touched, some.tau, some.rho, nothing, nothing, same, same_change), 13U);
}

}  // namespace
}  // namespace postrider::distributed
