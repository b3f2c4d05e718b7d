#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "complaint.h"
#include "postrider/table_model.h"

namespace postrider {
namespace {

constexpr double kRounding = 1e-12;

TablePrediction numbers() {
  TablePrediction out;
  out.rows = 2;
  out.mean = {10, -1};
  out.deviation = {2, 0.5};
  return out;
}

TablePrediction classes() {
  TablePrediction out;
  out.rows = 2;
  out.probabilities = {0.2, 0.5, 0.3, 0, 0.1, 0.9};
  return out;
}

// The distribution function at the quantile is the probability.
TEST(Prediction, QuantilesInvertTheDistribution) {
  const std::vector<double> levels{1e-6, 0.05, 0.5, 0.9, 0.999};
  const std::vector<double> found = numbers().quantiles(levels);
  ASSERT_EQ(found.size(), 10u);
  for (std::size_t row = 0; row < 2; ++row)
    for (std::size_t k = 0; k < levels.size(); ++k) {
      const double u =
          (found[row * levels.size() + k] - numbers().mean[row]) / numbers().deviation[row];
      EXPECT_NEAR(0.5 * std::erfc(-u / std::numbers::sqrt2) / levels[k], 1, kRounding);
    }
  for (const double bad : {0.0, 1.0, -0.1, std::nan("")})
    EXPECT_NE(complaint([&] { numbers().quantiles(std::vector{bad}); }), "no complaint");
  EXPECT_NE(complaint([] { classes().quantiles(std::vector{0.5}); }), "no complaint");
}

TEST(Prediction, SamplesHaveTheMomentsOfThePrediction) {
  constexpr std::size_t kCount = 40'000;
  const double error = 5 / std::sqrt(static_cast<double>(kCount));  // five standard errors
  const std::vector<double> drawn = numbers().samples(kCount, 1);
  for (std::size_t row = 0; row < 2; ++row) {
    double sum = 0, squares = 0;
    for (std::size_t k = 0; k < kCount; ++k) {
      const double u = (drawn[row * kCount + k] - numbers().mean[row]) / numbers().deviation[row];
      sum += u;
      squares += u * u;
    }
    EXPECT_NEAR(sum / kCount, 0, error);
    EXPECT_NEAR(squares / kCount, 1, std::numbers::sqrt2 * error);
  }
  const std::vector<double> labels = classes().samples(kCount, 1);
  for (std::size_t row = 0; row < 2; ++row)
    for (std::size_t k = 0; k < 3; ++k) {
      const auto begin = labels.begin() + static_cast<std::ptrdiff_t>(row * kCount);
      const auto count = std::count(begin, begin + kCount, static_cast<double>(k));
      EXPECT_NEAR(static_cast<double>(count) / kCount, classes().probabilities[row * 3 + k], error);
    }
}

TEST(Prediction, ChunksDrawWhatTheWholeDraws) {
  TablePrediction second;
  second.rows = 1;
  second.mean = {numbers().mean[1]};
  second.deviation = {numbers().deviation[1]};
  const std::vector<double> whole = numbers().samples(3, 9);
  EXPECT_EQ(second.samples(3, 9, 1), std::vector<double>(whole.begin() + 3, whole.end()));
  EXPECT_NE(second.samples(3, 9, 0), second.samples(3, 9, 1));
  EXPECT_NE(numbers().samples(3, 8), whole);
}

TEST(Prediction, TheMostProbableClass) {
  EXPECT_EQ(classes().most_probable(), (std::vector<std::size_t>{1, 2}));
  EXPECT_TRUE(numbers().most_probable().empty());
}

}  // namespace
}  // namespace postrider
