#include "sweep/layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace postrider::network {
using namespace internal;
namespace {

TEST(Layout, GivesEveryWeightAPlaceOfItsOwn) {
  const std::vector<SweepLayer> layers{{6, 33, true}, {33, 2, false}, {2, 1, true}};
  const Layout layout(layers);
  const std::vector<std::size_t> positions = layout.positions(layers);
  EXPECT_EQ(layout.weights(), 33u * 7 + 33 * 2 + 3);
  EXPECT_EQ(positions.size(), layout.weights());
  EXPECT_EQ(std::set(positions.begin(), positions.end()).size(), positions.size());
  EXPECT_LT(*std::ranges::max_element(positions), layout.size());
}

TEST(Layout, RowsAreWholeVectors) {
  const std::vector<SweepLayer> layers{{784, 100, true}, {100, 10, true}};
  const Layout layout(layers);
  for (const LayerLayout& layer : layout.layers()) {
    EXPECT_EQ(layer.stride % kPadding, 0u);
    EXPECT_EQ(layer.offset % kPadding, 0u);
  }
}

// Across units sparse inputs are rows to skip; a single unit would waste all lanes but one.
TEST(Layout, LanesRunAcrossTheLongerSide) {
  const std::vector<SweepLayer> layers{{784, 256, true}, {256, 1, true}};
  const Layout layout(layers);
  EXPECT_TRUE(layout.layers()[0].units_across);
  EXPECT_FALSE(layout.layers()[1].units_across);
}

// Predictions have nothing to add up across lanes where these run across units: of whole vectors, nothing
// is gained by networks side by side, unlike in training, and lanes without a network are lost.
TEST(Layout, PredictionsArePackedLessOftenThanTraining) {
  const std::vector<SweepLayer> whole{{64, 64, false, 0.1}, {64, 64, false}};
  EXPECT_TRUE(lanes_across_networks(whole, 15));
  EXPECT_FALSE(lanes_across_networks_forward(whole, 15));
  const std::vector<SweepLayer> narrow{{13, 10, true, 0.1}, {10, 2, true}};
  EXPECT_TRUE(lanes_across_networks_forward(narrow, 16));
  EXPECT_FALSE(lanes_across_networks_forward(narrow, 1));
}

// The beliefs of a pack of sixteen no longer fit the cache, where each of them alone does.
TEST(Layout, LargeNetworksAreNotPacked) {
  const std::vector<SweepLayer> fits{{170, 170, true, 0.1}, {170, 10, true}};
  EXPECT_TRUE(lanes_across_networks(fits, 16));
  const std::vector<SweepLayer> large{{200, 200, true, 0.1}, {200, 10, true}};
  EXPECT_FALSE(lanes_across_networks(large, 16));
}

// Four units of many inputs fill a quarter of a vector; of few that are not zero, that is still less than all inputs.
TEST(Layout, SparseInputsAreRowsToSkip) {
  const auto units_across = [](std::size_t active) {
    const std::vector<SweepLayer> layers{{.inputs = 5000, .units = 4, .active_inputs = active}};
    return Layout(layers).layers().front().units_across;
  };
  EXPECT_FALSE(units_across(0)) << "all";
  EXPECT_FALSE(units_across(5000));
  EXPECT_TRUE(units_across(200));
}

}  // namespace
}  // namespace postrider::network
