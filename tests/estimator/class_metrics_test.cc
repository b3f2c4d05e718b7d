// Figures against naive ones: pairs that are counted, thresholds that are tried one by one.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "base/random.h"
#include "postrider/error.h"
#include "postrider/metrics.h"

namespace postrider {
using namespace internal;
namespace {

constexpr double kRounding = 1e-12;

struct Scored {
  std::vector<double> scores;
  std::vector<bool> is_of_class;
  std::vector<double> lower, higher;
};

// Scores that are rounded, so that there are ties.
Scored scored(std::size_t rows, std::uint64_t seed) {
  RandomStream random(seed, 0);
  Scored out;
  for (std::size_t row = 0; row < rows; ++row) {
    const bool is_of_class = random.uniform() < 0.3;
    const double score = std::round(4 * (random.normal() + (is_of_class ? 1 : 0))) / 4;
    out.scores.push_back(score);
    out.is_of_class.push_back(is_of_class);
    (is_of_class ? out.higher : out.lower).push_back(score);
  }
  return out;
}

TEST(ClassMetrics, TheAreaCountsPairs) {
  const Scored rows = scored(200, 1);
  double sum = 0;
  for (const double low : rows.lower)
    for (const double high : rows.higher) sum += high > low ? 1 : high == low ? 0.5 : 0;
  const double pairs = static_cast<double>(rows.lower.size() * rows.higher.size());
  EXPECT_NEAR(area_under_curve_estimate(rows.lower, rows.higher).value, sum / pairs, kRounding);
  EXPECT_NEAR(area_under_curve(rows.lower, rows.higher), sum / pairs, kRounding);
  EXPECT_THROW(area_under_curve_estimate({}, rows.higher), InvalidArgument);
  EXPECT_THROW(area_under_curve_estimate(rows.lower, {}), InvalidArgument);
}

// From the highest threshold down, at each different score.
double naive_average_precision(const Scored& rows) {
  const std::set<double, std::greater<>> thresholds(rows.scores.begin(), rows.scores.end());
  double out = 0, recall_before = 0;
  for (const double threshold : thresholds) {
    double chosen = 0, hits = 0;
    for (std::size_t row = 0; row < rows.scores.size(); ++row) {
      if (rows.scores[row] < threshold) continue;
      ++chosen;
      hits += rows.is_of_class[row] ? 1 : 0;
    }
    const double recall = hits / static_cast<double>(rows.higher.size());
    out += (recall - recall_before) * hits / chosen;
    recall_before = recall;
  }
  return out;
}

TEST(ClassMetrics, AveragePrecisionTriesAllThresholds) {
  const Scored rows = scored(300, 2);
  const Estimate found = average_precision(rows.scores, rows.is_of_class);
  EXPECT_NEAR(found.value, naive_average_precision(rows), kRounding);
  EXPECT_NE(found.standard_error,
            average_precision(rows.scores, rows.is_of_class, 2).standard_error);
  EXPECT_TRUE(std::isnan(average_precision(std::vector<double>{1, 2}, {false, false}).value));
}

// The spread over many sets is what the standard errors say.
TEST(ClassMetrics, StandardErrorsAreTheSpread) {
  constexpr std::size_t kSets = 300, kRows = 150;
  std::vector<double> areas, area_errors, precisions, precision_errors;
  for (std::size_t set = 0; set < kSets; ++set) {
    const Scored rows = scored(kRows, 100 + set);
    const Estimate area = area_under_curve_estimate(rows.lower, rows.higher);
    const Estimate precision = average_precision(rows.scores, rows.is_of_class);
    areas.push_back(area.value);
    area_errors.push_back(area.standard_error);
    precisions.push_back(precision.value);
    precision_errors.push_back(precision.standard_error);
  }
  const auto spread = [](const std::vector<double>& values) {
    return mean_estimate(values).standard_error * std::sqrt(double{kSets});
  };
  const double known = 1 / std::sqrt(2.0 * kSets);  // relative error of a spread
  EXPECT_NEAR(mean_estimate(area_errors).value / spread(areas), 1, 4 * known);
  EXPECT_NEAR(mean_estimate(precision_errors).value / spread(precisions), 1, 5 * known);
}

TEST(ClassMetrics, DecisionsByHand) {
  // Chosen: 0 1 1 0 2; the third row is taken for class 1 and is of class 2.
  const std::vector<double> probabilities{0.6, 0.3, 0.1, 0.1, 0.8, 0.1, 0.2, 0.5,
                                          0.3, 0.7, 0.2, 0.1, 0.1, 0.1, 0.8};
  const std::vector<std::size_t> labels{0, 1, 2, 0, 2};
  const std::vector<ClassMetrics> found = class_metrics(probabilities, labels);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[1].rows, 1u);
  EXPECT_EQ(found[1].chosen, 2u);
  EXPECT_NEAR(found[1].precision.value, 0.5, kRounding);
  EXPECT_NEAR(found[1].recall.value, 1, kRounding);
  EXPECT_NEAR(found[1].f1.value, 2 / (1 / 0.5 + 1), kRounding);
  EXPECT_NEAR(found[2].recall.value, 0.5, kRounding);
  EXPECT_NEAR(found[0].area_under_curve.value, 1, kRounding);
  // For class 1: the probability 0.8 is above all others.
  EXPECT_NEAR(found[1].average_precision.value, 1, kRounding);
}

TEST(ClassMetrics, AClassThatNeverComesHasNoRecall) {
  const std::vector<double> probabilities{0.9, 0.1, 0.8, 0.2};
  const std::vector<ClassMetrics> found =
      class_metrics(probabilities, std::vector<std::size_t>{0, 0});
  EXPECT_TRUE(std::isnan(found[1].recall.value));
  EXPECT_TRUE(std::isnan(found[1].precision.value));
  EXPECT_TRUE(std::isnan(found[1].area_under_curve.value));
  EXPECT_NEAR(found[0].recall.value, 1, kRounding);
}

TEST(ClassMetrics, BrierByHand) {
  const std::vector<double> probabilities{0.7, 0.3, 0.4, 0.6};
  const Estimate found = brier_score(probabilities, std::vector<std::size_t>{0, 0});
  EXPECT_NEAR(found.value, (2 * 0.09 + 2 * 0.36) / 2, kRounding);
  EXPECT_THROW(brier_score(probabilities, std::vector<std::size_t>{0, 2}), InvalidArgument);
}

}  // namespace
}  // namespace postrider
