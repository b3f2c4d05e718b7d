#include "sweep/touched_weights.h"

#include <gtest/gtest.h>

#include <vector>

namespace postrider::network {
using namespace internal;
namespace {

// Number by number: block after block, of each the inputs of the list, then the other layers.
TEST(TouchedWeights, RunsCoverAllNumbersOfTheMessageOnce) {
  const MessageShape shape{3, 7, 4, 10};
  for (const std::vector<std::uint32_t>& inputs :
       {std::vector<std::uint32_t>{}, {6}, {0, 1, 2}, {0, 2, 3, 6}, {0, 1, 2, 3, 4, 5, 6}}) {
    const TouchedWeights touched{shape, false, inputs};
    std::vector<std::size_t> expected;
    for (std::size_t block = 0; block < 3; ++block)
      for (const std::uint32_t input : inputs)
        for (std::size_t k = 0; k < 4; ++k) expected.push_back(block * 28 + input * 4 + k);
    for (std::size_t k = 0; k < 10; ++k) expected.push_back(84 + k);
    EXPECT_EQ(touched.size(), expected.size());
    std::vector<std::size_t> found;
    touched.for_each_run([&](std::size_t at, std::size_t in_message, std::size_t count) {
      EXPECT_EQ(in_message, found.size());
      for (std::size_t k = 0; k < count; ++k) found.push_back(at + k);
    });
    EXPECT_EQ(found, expected);
  }
}

TEST(TouchedWeights, NeighboursAreOneRun) {
  const std::vector<std::uint32_t> inputs{1, 2, 3, 5};
  const TouchedWeights touched{{1, 8, 16, 32}, false, inputs};
  std::vector<std::size_t> counts;
  touched.for_each_run([&](std::size_t, std::size_t, std::size_t n) { counts.push_back(n); });
  EXPECT_EQ(counts, (std::vector<std::size_t>{48, 16, 32}));
}

TEST(TouchedWeights, AllOfThemAreOneRun) {
  const TouchedWeights touched = TouchedWeights::all(50);
  EXPECT_EQ(touched.size(), 50U);
  std::size_t runs = 0;
  touched.for_each_run([&](std::size_t at, std::size_t in_message, std::size_t count) {
    EXPECT_EQ(at, 0U);
    EXPECT_EQ(in_message, 0U);
    EXPECT_EQ(count, 50U);
    ++runs;
  });
  EXPECT_EQ(runs, 1U);
}

}  // namespace
}  // namespace postrider::network
