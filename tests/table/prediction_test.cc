#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/access.h"
#include "complaint.h"
#include "estimator/distributions.h"
#include "postrider/table_model.h"

namespace postrider {
using namespace internal;
namespace {

// Mixtures: of two members, and of noise that varies.
TableModel::Prediction numbers() {
  auto state = std::make_shared<DistributionsState>();
  state->members = 2;
  state->targets = TargetScales(Scales{{10}, {2}});
  state->outlooks = {{-1, 0.1, 0, 0, 0.2, false},
                     {2, 0.1, 0, 0, 0.2, false},
                     {0, 0.3, 0.5, 0.8, 1, true},
                     {0, 0.3, 0.1, 0.6, 1, true}};
  TableModel::Prediction out;
  out.rows = 2;
  out.distributions =
      Access::made_of<Distributions>(std::shared_ptr<const DistributionsState>(state));
  out.mean = out.distributions.moments().mean;
  for (const double variance : out.distributions.moments().variance)
    out.std.push_back(std::sqrt(variance));
  return out;
}

TableModel::Prediction classes() {
  TableModel::Prediction out;
  out.rows = 2;
  out.probabilities = {0.2, 0.5, 0.3, 0, 0.1, 0.9};
  return out;
}

TEST(Prediction, QuantilesAreOfTheDistributionAndNotOfAGaussian) {
  const std::vector<double> levels{0.05, 0.5};
  const TableModel::Prediction predicted = numbers();
  const std::vector<double> found = predicted.quantiles(levels);
  EXPECT_EQ(found, predicted.distributions.quantiles(levels));
  const double gaussian = predicted.mean[0] - 1.6448536269514722 * predicted.std[0];
  EXPECT_GT(std::abs(found[0] - gaussian), 0.1);
  EXPECT_NE(complaint([] { classes().quantiles(std::vector{0.5}); }), "no complaint");
}

TEST(Prediction, SamplesHaveTheMomentsOfThePrediction) {
  constexpr std::size_t kCount = 40'000;
  const double error = 5 / std::sqrt(static_cast<double>(kCount));  // five standard errors
  constexpr double kKurtosis = 2;  // the root of the fourth moment less one, at most
  const std::vector<double> drawn = numbers().samples(kCount, 1);
  for (std::size_t row = 0; row < 2; ++row) {
    double sum = 0, squares = 0;
    for (std::size_t k = 0; k < kCount; ++k) {
      const double u = (drawn[row * kCount + k] - numbers().mean[row]) / numbers().std[row];
      sum += u;
      squares += u * u;
    }
    EXPECT_NEAR(sum / kCount, 0, error);
    EXPECT_NEAR(squares / kCount, 1, kKurtosis * error);
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
  const std::vector<double> whole = numbers().samples(3, 9);
  EXPECT_NE(numbers().samples(3, 9, 1), whole);
  EXPECT_NE(numbers().samples(3, 8), whole);
  TableModel::Prediction second;
  second.rows = 1;
  second.probabilities = {0, 0.1, 0.9};
  const std::vector<double> labels = classes().samples(20, 9);
  EXPECT_EQ(second.samples(20, 9, 1), std::vector<double>(labels.begin() + 20, labels.end()));
  EXPECT_NE(classes().samples(20, 8), labels);
}

TEST(Prediction, TheMostProbableClass) {
  EXPECT_EQ(classes().most_probable(), (std::vector<std::size_t>{1, 2}));
  EXPECT_TRUE(numbers().most_probable().empty());
}

}  // namespace
}  // namespace postrider
