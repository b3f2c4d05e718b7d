#include "postrider/function_draw.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "complaint.h"
#include "postrider/error.h"

namespace postrider {
namespace {

const FunctionDraw::Layer kHidden{2, 2, 0.1, {1, -2, 3, 0.5, -1, 0.25}},
    kOutput{2, 1, 1, {2, -3, 0.5}};

FunctionDraw::Parts parts_of(double offset = 0) {
  return {{{Encoding::standard, 1, 2}, {Encoding::relevance, -1, 0.5}},
          {0.25, -0.5},
          1.5,
          {kHidden, kOutput},
          {{offset > 0 ? 20.0 : 10.0, 3, offset}}};
}

// Written out: units, layers, units.
double learned_by_hand(double x, double y) {
  const auto leaky = [](double v) { return std::max(v, 0.1 * v); };
  const double a = 1.5 * (x - 1) / 2, b = 1.5 * (y + 1) / 0.5;
  return 2 * leaky(a + 3 * b - 1) - 3 * leaky(-2 * a + 0.5 * b + 0.25) + 0.5;
}

constexpr double kExact = 1e-12;

TEST(FunctionDraw, IsInTheUnitsOfTheData) {
  const FunctionDraw function(parts_of());
  const std::vector<double> rows{0.3, -0.8, 5, 2};
  const std::vector<double> found = function.values(rows);
  EXPECT_NEAR(found[0], 10 + 3 * learned_by_hand(0.3, -0.8), kExact);
  EXPECT_NEAR(found[1], 10 + 3 * learned_by_hand(5, 2), kExact * std::abs(found[1]));
}

TEST(FunctionDraw, RootsAreSquared) {
  const FunctionDraw function(parts_of(0.25));
  const std::vector<double> row{0.3, -0.8};
  const double root = 20 + 3 * learned_by_hand(0.3, -0.8);
  EXPECT_NEAR(function.values(row)[0], root * root - 0.25, kExact * root * root);
}

TEST(FunctionDraw, MissingNumbersAreTypical) {
  const FunctionDraw function(parts_of());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> row{nan, 0.4}, typical{1 + 2 * 0.25, 0.4};
  EXPECT_NEAR(function.values(row)[0], function.values(typical)[0], kExact);
  EXPECT_EQ(function.gradients(row)[0], 0);
}

TEST(FunctionDraw, GradientsAreThoseOfDifferences) {
  constexpr double kStep = 1e-6, kRelative = 1e-6;
  for (const double offset : {0.0, 0.25}) {
    const FunctionDraw function(parts_of(offset));
    const std::vector<double> rows{0.3, -0.8, 1.2, -1.1};
    const std::vector<double> found = function.gradients(rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::vector<double> above(rows), below(rows);
      above[i] += kStep;
      below[i] -= kStep;
      const double difference =
          (function.values(above)[i / 2] - function.values(below)[i / 2]) / (2 * kStep);
      EXPECT_NEAR(found[i], difference, kRelative * (1 + std::abs(difference))) << i;
    }
  }
}

TEST(FunctionDraw, JointMomentsAreThoseOfTheValues) {
  FunctionDraw::Parts other = parts_of(), third = parts_of();
  other.layers[1].weights[2] = 4;
  third.layers[1].weights = {-1, 0.5, 2};
  const std::vector<FunctionDraw> functions{FunctionDraw(parts_of()), FunctionDraw(other),
                                            FunctionDraw(third)};
  const std::vector<double> rows{0.3, -0.8, 5, 2};
  const FunctionDraw::JointForecast joint = joint_moments(functions, rows).front();
  double mean[2] = {0, 0}, covariance = 0;
  for (const FunctionDraw& function : functions)
    for (std::size_t r = 0; r < 2; ++r) mean[r] += function.values(rows)[r] / 3;
  for (const FunctionDraw& function : functions)
    covariance += (function.values(rows)[0] - mean[0]) * (function.values(rows)[1] - mean[1]) / 2;
  constexpr double kRounding = 1e-9;
  EXPECT_NEAR(joint.mean[1], mean[1], kRounding);
  EXPECT_NEAR(joint.covariance[1], covariance, kRounding * std::abs(covariance));
  EXPECT_NEAR(joint.covariance[2], covariance, kRounding * std::abs(covariance));
  EXPECT_THROW(joint_moments(std::span(functions).first(1), rows), InvalidArgument);
}

TEST(FunctionDraw, RefusesPartsThatDoNotFit) {
  FunctionDraw::Parts without_bias = parts_of();
  without_bias.layers[1].weights.pop_back();
  EXPECT_THROW(FunctionDraw{without_bias}, InvalidArgument);
  FunctionDraw::Parts more_targets = parts_of();
  more_targets.targets.push_back({});
  EXPECT_THROW(FunctionDraw{more_targets}, InvalidArgument);
  FunctionDraw::Parts other_inputs = parts_of();
  other_inputs.columns.pop_back();
  other_inputs.typical_means.pop_back();
  EXPECT_THROW(FunctionDraw{other_inputs}, InvalidArgument);
  const FunctionDraw function(parts_of());
  EXPECT_THROW(function.values(std::vector<double>{1}), InvalidArgument);
  EXPECT_THROW(function.values(std::vector<double>{1, std::numeric_limits<double>::infinity()}),
               InvalidArgument);
}

}  // namespace
}  // namespace postrider
