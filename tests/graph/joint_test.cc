#include "graph/joint.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "graph/joint_models.h"

namespace postrider::internal {
namespace {

constexpr double kRounding = 1e-9;
TEST(JointModel, IsExactForCorrelatedColumns) {
  const Regression data(30, 5, 1);
  const std::vector<double> means{1, -2, 0, 0.5, 3}, precisions{1, 0.1, 2, 0.5, 1};
  const Regression::Exact exact = data.exact(means, precisions);
  for (const bool shared : {true, false}) {
    JointModel model(5);
    model.add_gaussian(priors(means, precisions));
    model.add_gaussian(data.gaussian(shared));
    const JointModel::Report record = model.infer();
    EXPECT_TRUE(model.is_proper() && record.converged);
    EXPECT_NEAR(model.log_evidence(), exact.log_evidence, kRounding);
    for (std::uint32_t k = 0; k < 5; ++k) {
      EXPECT_NEAR(model.mean()[k], exact.mean[k], kRounding);
      EXPECT_NEAR(model.variances()[k], exact.covariance[k * 5 + k], kRounding);
      const std::vector<double> column = model.covariances_with(k);
      for (std::size_t l = 0; l < 5; ++l)
        EXPECT_NEAR(column[l], exact.covariance[k * 5 + l], kRounding);
    }
  }
}

TEST(JointModel, BlocksAreTheRowsTheyConsistOf) {
  const Regression data(6, 3, 2);
  BlockTerms block{1, 3, {0, 1, 2}, std::vector<double>(9), {0.1, 0.2, -0.3}, {-0.7}};
  // (x - m)' A'A (x - m) with the rows of A as precisions 1.
  GaussianTerms rows = data.gaussian();
  for (std::size_t r = 0; r < 6; ++r) {
    rows.precisions[r] = 1;
    rows.targets[r] = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      rows.targets[r] += data.x[r * 3 + i] * block.means[i];
      for (std::size_t j = 0; j < 3; ++j)
        block.precision[i * 3 + j] += data.x[r * 3 + i] * data.x[r * 3 + j];
    }
  }
  JointModel by_rows(3), by_block(3);
  for (JointModel* model : {&by_rows, &by_block})
    model->add_gaussian(priors({0, 1, 2}, {1, 1, 0.5}));
  by_rows.add_gaussian(rows);
  by_block.add_block(block);
  ASSERT_TRUE(is_proper_after_inference(by_rows) && is_proper_after_inference(by_block));
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(by_rows.mean()[k], by_block.mean()[k], kRounding);
    EXPECT_NEAR(by_rows.variances()[k], by_block.variances()[k], kRounding);
  }
  EXPECT_NEAR(by_rows.log_evidence() + 3 * kLogTwoPi, by_block.log_evidence() + 0.7, kRounding);
}

TEST(JointModel, AVariableMayStandTwiceInARow) {
  const Regression data(12, 2, 7);
  JointModel once(2), twice(2);
  for (JointModel* model : {&once, &twice}) model->add_gaussian(priors({0, 0}, {1, 1}));
  once.add_gaussian(data.gaussian());
  GaussianTerms terms{
      {12, 3, 1, {0, 1, 0}, {}}, data.y, std::vector<double>(12, 1 / data.variance)};
  for (std::size_t r = 0; r < 12; ++r)
    terms.terms.weights.insert(terms.terms.weights.end(),
                               {0.3 * data.x[2 * r], data.x[2 * r + 1], 0.7 * data.x[2 * r]});
  twice.add_gaussian(terms);
  ASSERT_TRUE(is_proper_after_inference(once) && is_proper_after_inference(twice));
  EXPECT_NEAR(once.log_evidence(), twice.log_evidence(), kRounding);
  const std::vector<double> x{0.4, -1};
  EXPECT_NEAR(once.log_belief(x), twice.log_belief(x), kRounding);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(once.mean()[k], twice.mean()[k], kRounding);
    EXPECT_NEAR(once.variances()[k], twice.variances()[k], kRounding);
  }
}

TEST(JointModel, AChainOfBlocksIsARandomWalk) {
  // x_t = x_(t-1) + N(0, 1) from x_0 ~ N(0, 1): variance t + 1, covariance the smaller of the two.
  constexpr std::uint32_t kLength = 200;
  JointModel model(kLength);
  BlockTerms steps{kLength - 1, 2, {}, {1, -1, -1, 1}, {0, 0}, {-0.5 * kLogTwoPi}};
  for (std::uint32_t t = 1; t < kLength; ++t)
    steps.variables.insert(steps.variables.end(), {t - 1, t});
  model.add_block(steps);
  model.add_gaussian({{1, 1, 1, {0}, {1}}, {0}, {1}});
  ASSERT_TRUE(is_proper_after_inference(model));
  EXPECT_NEAR(model.log_evidence(), 0, 1e-9);
  for (std::uint32_t t = 0; t < kLength; ++t)
    EXPECT_NEAR(model.variances()[t], t + 1, 1e-9 * (t + 1));
  const std::vector<double> column = model.covariances_with(50);
  for (std::uint32_t t = 0; t < kLength; ++t) EXPECT_NEAR(column[t], std::min(t, 50U) + 1, 1e-8);
}

TEST(JointModel, AModelThatLeavesADirectionOpenIsNotProper) {
  JointModel model(2);
  model.add_gaussian({{1, 2, 1, {0, 1}, {1, 1}}, {0}, {1}});
  EXPECT_FALSE(is_proper_after_inference(model));
}

TEST(JointModel, NumbersMayChangeBetweenRuns) {
  const Regression data(12, 3, 3);
  JointModel model(3), anew(3);
  model.add_gaussian(priors({0, 0, 0}, {1, 1, 1}));
  model.add_gaussian(data.gaussian());
  ASSERT_TRUE(is_proper_after_inference(model));
  GaussianTerms changed = data.gaussian();
  for (double& precision : changed.precisions) precision *= 4;
  for (double& target : changed.targets) target += 1;
  model.gaussian(1) = changed;
  anew.add_gaussian(priors({0, 0, 0}, {1, 1, 1}));
  anew.add_gaussian(changed);
  ASSERT_TRUE(is_proper_after_inference(model) && is_proper_after_inference(anew));
  EXPECT_EQ(model.log_evidence(), anew.log_evidence());
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(model.mean()[k], anew.mean()[k]);
}

TEST(JointModel, DrawsAndDensitiesAreThoseOfTheBelief) {
  const Regression data(12, 3, 4);
  JointModel model(3);
  model.add_gaussian(priors({0, 0, 0}, {1, 1, 1}));
  model.add_gaussian(data.gaussian());
  ASSERT_TRUE(is_proper_after_inference(model));
  RandomStream random(1, 0);
  double sum = 0, squares = 0;
  constexpr int kDraws = 20000;
  for (int draw = 0; draw < kDraws; ++draw) {
    std::vector<double> x(3);
    for (double& value : x) value = random.normal();
    model.draw(x);
    // Where all factors are Gaussian the two differ by the evidence everywhere.
    double log_model = 0;
    model.log_model(x, {&log_model, 1});
    EXPECT_NEAR(log_model - model.log_belief(x), model.log_evidence(), 1e-8);
    const double pair = x[0] - x[2];
    sum += pair, squares += pair * pair;
  }
  const double mean = model.mean()[0] - model.mean()[2];
  const std::vector<double> first = model.covariances_with(0);
  const double variance = first[0] - 2 * first[2] + model.variances()[2];
  EXPECT_NEAR(sum / kDraws, mean, 5 * std::sqrt(variance / kDraws));
  EXPECT_NEAR(squares / kDraws - sum / kDraws * sum / kDraws, variance, 0.05 * variance);
}

}  // namespace
}  // namespace postrider::internal
