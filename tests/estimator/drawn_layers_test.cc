#include "estimator/drawn_layers.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace postrider {
using namespace internal;
namespace {

// Two inputs, two hidden units with slope 0.1, one output. Weights input by input, biases last.
const std::vector<FunctionDraw::Layer> kLayers{{2, 2, 0.1, {1, -2, 3, 0.5, -1, 0.25}},
                                               {2, 1, 1, {2, -3, 0.5}}};

SparseInputs row_of(double first, double second) {
  SparseInputs out;
  out.begins = {0, 2};
  out.places = {0, 1};
  out.values = {first, second};
  return out;
}

// The same network written out.
double by_hand(double a, double b) {
  const auto leaky = [](double x) { return std::max(x, 0.1 * x); };
  return 2 * leaky(a + 3 * b - 1) - 3 * leaky(-2 * a + 0.5 * b + 0.25) + 0.5;
}

TEST(DrawnLayers, SayWhatTheSumsSay) {
  for (const auto& [a, b] : {std::pair(0.5, 1.0), std::pair(-2.0, 0.3), std::pair(1.5, -4.0)})
    EXPECT_DOUBLE_EQ(layer_outputs(kLayers, row_of(a, b)).front(), by_hand(a, b));
}

TEST(DrawnLayers, ZerosNeedNotBeThere) {
  SparseInputs row;
  row.begins = {0, 1};
  row.places = {1};
  row.values = {0.7};
  EXPECT_DOUBLE_EQ(layer_outputs(kLayers, row).front(), by_hand(0, 0.7));
}

TEST(DrawnLayers, SlopesAreThoseOfDifferences) {
  constexpr double kStep = 1e-6, kRounding = 1e-8;  // pieces are straight
  for (const auto& [a, b] : {std::pair(0.5, 1.0), std::pair(-2.0, 0.3), std::pair(1.5, -4.0)}) {
    const LayerSlope found = slope_by_inputs(kLayers, row_of(a, b), 0, 0);
    EXPECT_DOUBLE_EQ(found.value, by_hand(a, b));
    EXPECT_NEAR(found.by_input[0], (by_hand(a + kStep, b) - by_hand(a - kStep, b)) / (2 * kStep),
                kRounding);
    EXPECT_NEAR(found.by_input[1], (by_hand(a, b + kStep) - by_hand(a, b - kStep)) / (2 * kStep),
                kRounding);
  }
}

}  // namespace
}  // namespace postrider
