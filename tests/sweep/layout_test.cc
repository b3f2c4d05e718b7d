#include "sweep/layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace postrider {
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

}  // namespace
}  // namespace postrider
