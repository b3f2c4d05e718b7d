#include <gtest/gtest.h>

#include "estimator/model_options.h"
#include "postrider/network/network.h"

namespace postrider {
using namespace internal;
namespace {

using Widths = std::vector<std::size_t>;

std::size_t weights_of(std::size_t inputs, const Widths& hidden) {
  return network::NetworkOptions::dense(inputs, hidden).weights();
}

TEST(Capacity, KeepsWhatTheExamplesCanFill) {
  EXPECT_EQ(widths_for({50, 20}, 8, 1, 100'000, 1), Widths({50, 20}));
  EXPECT_EQ(widths_for({}, 8, 1, 10, 1), Widths());
}

TEST(Capacity, NarrowsToTheWidestThatFits) {
  for (const std::size_t rows : {200U, 277U, 927U, 5000U})
    for (const Widths& asked : {Widths{1000}, Widths{1000, 1000}, Widths{200, 30, 200}}) {
      const Widths found = widths_for(asked, 6, 1, rows, 1);
      const std::size_t limit = *std::max_element(found.begin(), found.end());
      Widths wider;
      for (std::size_t l = 0; l < asked.size(); ++l) {
        EXPECT_EQ(found[l], std::min(asked[l], limit));
        wider.push_back(std::min(asked[l], limit + 1));
      }
      EXPECT_LE(weights_of(6, found), rows);
      EXPECT_GT(weights_of(6, wider), rows);
    }
}

TEST(Capacity, AsManyWeightsPerExampleAsAllowed) {
  EXPECT_EQ(widths_for({1000}, 6, 1, 277, 0), Widths{1000});
  // 8 weights per unit and one more: (2 * 277 - 1)/8.
  EXPECT_EQ(widths_for({1000}, 6, 1, 277, 2), Widths{69});
}

// Three layers of 100 under 9 inputs and 2 outputs have 9 * 100 + 2 * 100 * 100 + 100 * 2 weights and 302 biases: 21,402.
TEST(Capacity, ChosenLayersAreLargerWhereTheRowsFillThem) {
  EXPECT_EQ(widths_for({0}, 9, 2, 32'102, 1), Widths({50, 50}));
  EXPECT_EQ(widths_for({0}, 9, 2, 32'103, 1), Widths({100, 100, 100}));
  EXPECT_EQ(widths_for({0}, 9, 2, 0, 0), Widths({50, 50}));
  EXPECT_EQ(widths_for({0}, 6, 1, 100, 1), widths_for({50, 50}, 6, 1, 100, 1));
}

TEST(Capacity, OnlyOneZeroLeavesTheLayersToTheRows) {
  EXPECT_TRUE(is_chosen({0}));
  EXPECT_FALSE(is_chosen({}));
  EXPECT_FALSE(is_chosen({50}));
  EXPECT_TRUE(are_for_many_rows({100, 100, 100}));
  EXPECT_FALSE(are_for_many_rows({50, 50}));
}

TEST(Capacity, KeepsAFewUnitsHoweverFewTheRows) {
  EXPECT_EQ(widths_for({50, 3}, 100, 1, 5, 1), Widths({4, 3}));
}

}  // namespace
}  // namespace postrider
