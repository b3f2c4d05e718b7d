#include "sparse/learning.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rows.h"

namespace postrider::internal::hashed {
namespace {

// A posterior of bias and one weight by a grid, for the probit link and the prior of one lane; targets that both tell nearly
// independently, so that beliefs without covariances can be near it.
struct Exact {
  double bias_mean = 0, weight_mean = 0, weight_variance = 0;
};
Exact exact(const sparse::FeatureRows& rows, double prior) {
  constexpr int kSteps = 400;
  constexpr double kFar = 4;
  double sum = 0, bias = 0, weight = 0, squares = 0;
  for (int i = 0; i <= kSteps; ++i)
    for (int j = 0; j <= kSteps; ++j) {
      const double b = -kFar + 2 * kFar * i / kSteps, w = -kFar + 2 * kFar * j / kSteps;
      double log_p = -0.5 * (b * b / Linear::kBiasVariance + w * w / prior);
      for (std::size_t row = 0; row < rows.size(); ++row) {
        const double s = b + w * static_cast<double>(rows.values[row]);
        log_p += std::log(0.5 * std::erfc(-rows.targets[row] * s / std::sqrt(2.0)) + 1e-300);
      }
      const double p = std::exp(log_p);
      sum += p;
      bias += p * b;
      weight += p * w;
      squares += p * w * w;
    }
  const double mean = weight / sum;
  return {bias / sum, mean, squares / sum - mean * mean};
}

TEST(Learning, PassesComeNearTheExactPosterior) {
  sparse::FeatureRows rows;
  RandomStream random(5, 0);
  for (int row = 0; row < 40; ++row) {
    const float x = row % 2 == 0 ? 1 : -1;
    add_row(rows, {{3, x}}, 0.3 + 0.8 * static_cast<double>(x) + random.normal() > 0 ? 1 : -1);
  }
  sparse::SparseModel::State state({.target = sparse::SparseOptions::Target::probit, .passes = 20});
  state.keep(std::vector<std::size_t>{4});  // prior variance 1
  fit_rows(state, rows);
  const Exact expected = exact(rows, 1);
  const float* const found = state.linear.weights.find(sparse::feature_key(3));
  ASSERT_NE(found, nullptr);
  constexpr double kClose = 0.02;  // of EP without covariances
  EXPECT_NEAR(static_cast<double>(found[0]), expected.weight_mean, kClose);
  EXPECT_NEAR(static_cast<double>(found[1]), expected.weight_variance, kClose);
  EXPECT_NEAR(state.linear.bias.mean[0], expected.bias_mean, kClose);
}

// At the fixed point another pass changes nothing; after one it does.
TEST(Learning, PassesConverge) {
  const sparse::FeatureRows rows = random_rows(300, 3, sparse::SparseOptions::Target::logistic);
  const auto bias_after = [&](std::size_t passes) {
    sparse::SparseModel::State state({.passes = passes});
    state.keep(std::vector<std::size_t>{4});
    fit_rows(state, rows);
    return state.linear.bias.mean[0];
  };
  constexpr double kSame = 1e-3;
  EXPECT_NEAR(bias_after(80), bias_after(100), kSame);
  EXPECT_GT(std::abs(bias_after(1) - bias_after(100)), kSame);
}

TEST(Learning, SecondPassKeepsTheLanesThatCount) {
  const sparse::FeatureRows rows = random_rows(2000, 3, sparse::SparseOptions::Target::logistic);
  sparse::SparseModel::State state({.passes = 2});
  const sparse::SparseModel::Report report = fit_rows(state, rows);
  EXPECT_EQ(report.rows, 2000U);
  EXPECT_LT(state.bank.lanes, kMostLanes);
  // Weights were drawn with variance 1.
  const PerLane shares = state.bank.shares();
  double between = 0;
  for (std::size_t k = 0; k < state.bank.lanes; ++k)
    if (state.bank.prior[k] > 0.2 && state.bank.prior[k] < 5) between += shares[k];
  EXPECT_GT(between, 0.99);
}

TEST(Learning, MergesRepeats) {
  sparse::FeatureRows rows;
  add_row(rows, {{1, 1}, {2, 2}, {1, 3}, {2, -1}, {1, 0.5F}}, 1);
  add_row(rows, {{2, 2}}, -1);
  const sparse::FeatureRows merged = without_repeats(rows);
  EXPECT_EQ(merged.keys, (std::vector<std::uint64_t>{sparse::feature_key(1), sparse::feature_key(2),
                                                     sparse::feature_key(2)}));
  EXPECT_EQ(merged.values, (std::vector<float>{4.5, 1, 2}));
  EXPECT_EQ(merged.ends, (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(merged.targets, rows.targets);
}

// With weights of 2 a row counts as if it were there twice, up to the order of rows.
TEST(Learning, WeightsRepeatRows) {
  sparse::FeatureRows once = random_rows(60, 9, sparse::SparseOptions::Target::probit), twice;
  for (std::size_t row = 0; row < once.size(); ++row)
    for (int copy = 0; copy < 2; ++copy) {
      const sparse::FeatureRows one = part_of(once, row, row + 1);
      twice.keys.insert(twice.keys.end(), one.keys.begin(), one.keys.end());
      twice.values.insert(twice.values.end(), one.values.begin(), one.values.end());
      twice.ends.push_back(twice.keys.size());
      twice.targets.push_back(once.targets[row]);
    }
  once.weights.assign(once.size(), 2);
  const auto bias_of = [](const sparse::FeatureRows& rows) {
    sparse::SparseModel::State state(
        {.target = sparse::SparseOptions::Target::probit, .passes = 60});
    state.keep(std::vector<std::size_t>{4});
    fit_rows(state, rows);
    return state.linear.bias.mean[0];
  };
  constexpr double kPowerEp = 0.03;  // a message squared against two that see each other
  EXPECT_NEAR(bias_of(once), bias_of(twice), kPowerEp);
  once.weights.assign(once.size(), 0);
  EXPECT_EQ(bias_of(once), 0);
}

}  // namespace
}  // namespace postrider::internal::hashed
