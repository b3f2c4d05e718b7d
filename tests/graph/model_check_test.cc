#include <gtest/gtest.h>

#include <cmath>

#include "complaint.h"
#include "postrider/graph/model.h"

namespace postrider::graph {
namespace {

constexpr double kLogTwoPi = 1.8378770664093453;

// Two numbers N(0, 2^2), each with a reading of noise 1, which for the belief are two blocks that say 3 and -1.
Model two_readings() {
  const std::vector<std::uint32_t> both{0, 1}, first{0}, second{1};
  const std::vector<double> ones{1, 1}, zeros{0, 0}, one{1}, zero{0};
  Model model;
  model.add_variables(2);
  model.add_gaussian({both, ones, 1}, zeros, std::vector<double>{2});
  model.add_block(first, 1, one, std::vector<double>{3}, zero);
  model.add_block(second, 1, one, std::vector<double>{-1}, zero);
  model.infer();
  return model;
}

// The readings as densities beside the plates, the second one of another value.
Model::CheckOptions with(double second) {
  Model::CheckOptions options;
  options.without = {1, 2};
  options.also = [second](std::span<const double> points, std::span<double> out) {
    for (std::size_t k = 0; k < out.size(); ++k) {
      const double a = 3 - points[2 * k], b = second - points[2 * k + 1];
      out[k] = -0.5 * (a * a + b * b) - kLogTwoPi;
    }
  };
  return options;
}

TEST(ModelCheck, WhatStandsForOthersIsReplaced) {
  const Model model = two_readings();
  const Model::Check found = model.check(with(-1));
  EXPECT_EQ(found.verdict, Model::Verdict::certified);
  EXPECT_EQ(found.chains, 0U);
  EXPECT_NEAR(found.log_evidence, -kLogTwoPi - std::log(5) - 0.5 * (9.0 + 1.0) / 5,
              4 * found.log_evidence_error + 1e-9);
}

// A reading of 1 in place of -1 moves the mean by 1.6, 1.8 standard deviations.
TEST(ModelCheck, AVerdictIsAboutWhatWasAsked) {
  const Model model = two_readings();
  Model::CheckOptions options = with(1);
  EXPECT_EQ(model.check(options).verdict, Model::Verdict::wrong);
  EXPECT_NEAR(model.check(options).means[1], 0.8, 4 * model.check(options).mean_errors[1]);
  options.variables = {0};
  EXPECT_EQ(model.check(options).verdict, Model::Verdict::certified);
  options.variables = {1};
  EXPECT_EQ(model.check(options).verdict, Model::Verdict::wrong);
}

// Standard deviations are a quarter too small: what a hundred draws cannot tell, many can.
TEST(ModelCheck, WhatErrorsLeaveOpenIsNotKnown) {
  const Model model = two_readings();
  Model::CheckOptions options = with(-1);
  // N(2.4, 0.8) of the belief; with half the precision of the reading the variance is 4/3: a ratio of 1.29.
  options.also = [](std::span<const double> points, std::span<double> out) {
    for (std::size_t k = 0; k < out.size(); ++k) {
      const double a = 3.6 - points[2 * k], b = -1 - points[2 * k + 1];
      out[k] = -0.5 * (0.5 * a * a + b * b);
    }
  };
  options.draws = 100;
  EXPECT_NE(model.check(options).verdict, Model::Verdict::certified);
  options.draws = 20000;
  const Model::Check found = model.check(options);
  EXPECT_NEAR(found.deviations[0], std::sqrt(4.0 / 3), 4 * found.deviation_errors[0]);
  EXPECT_EQ(found.verdict, Model::Verdict::wrong);
}

TEST(ModelCheck, SaysWhatItDoesNotTake) {
  const Model model = two_readings();
  EXPECT_EQ(complaint([&] { model.check({.draws = 99}); }), "draws = 99: must be at least 100");
  EXPECT_EQ(complaint([&] { model.check({.variables = {2}}); }),
            "variables[0] = 2: must be below 2, the number of variables");
  EXPECT_EQ(complaint([&] { model.check({.without = {0}}); }),
            "plate = 0: must be one of add_block()");
}

}  // namespace
}  // namespace postrider::graph
