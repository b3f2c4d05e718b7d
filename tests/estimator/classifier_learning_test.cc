// What a classifier learns, at length: too slow for instrumented code.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "estimator/labelled.h"
#include "postrider/classifier.h"
#include "postrider/metrics.h"

namespace postrider {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

struct Quality {
  double error = 0, log_loss = 0;
  double calibration = 0;  // mean distance of confidence and accuracy, in ten bins
};

Quality quality_of(const Classifier& classifier, const Labelled& on) {
  constexpr std::size_t kBins = 10;
  const std::vector<double> p = classifier.predict_probabilities(on.x);
  return {1 - accuracy(p, on.y), log_loss(p, on.y), expected_calibration_error(p, on.y, kBins)};
}

TEST(Classifier, LearnsAnExclusiveOrWithWrongLabels) {
  // One label in ten is wrong, which costs 0.325 nats at least. A probit rises to 1 away from the
  // border, where these labels stay at 0.9: no temperature makes the two meet everywhere.
  constexpr double kMostError = 0.14, kMostLoss = 0.41, kMostGap = 0.1;
  Classifier classifier({.hidden = {30}, .ensemble_size = 4, .encoding = Encoding::standard});
  classifier.fit(noisy_xor(1500, 1).x, noisy_xor(1500, 1).y);
  EXPECT_EQ(classifier.classes(), 2U);
  EXPECT_EQ(classifier.network().options().outputs(), 1U);
  const Quality found = quality_of(classifier, noisy_xor(4000, 2));
  EXPECT_LT(found.error, kMostError);
  EXPECT_LT(found.log_loss, kMostLoss);
  EXPECT_LT(found.calibration, kMostGap);
}

TEST(Classifier, LearnsRings) {
  constexpr double kMostError = 0.05, kMostLoss = 0.15, kMostGap = 0.05;
  Classifier classifier({.hidden = {50}, .training = {.max_epochs = 60}});
  const Labelled training = rings(1500, 3, 1);
  const FitReport report = classifier.fit(training.x, training.y).front();
  EXPECT_GT(report.epochs.back().score, report.epochs.front().score);
  EXPECT_EQ(classifier.classes(), 3U);
  EXPECT_EQ(classifier.network().options().outputs(), 3U);
  const Quality found = quality_of(classifier, rings(4000, 3, 2));
  EXPECT_LT(found.error, kMostError);
  EXPECT_LT(found.log_loss, kMostLoss);
  EXPECT_LT(found.calibration, kMostGap);
}

TEST(Classifier, AMissingInputLeavesMoreOpen) {
  Classifier classifier({.hidden = {50},
                         .ensemble_size = 4,
                         .encoding = Encoding::standard,
                         .training = {.max_epochs = 60}});
  const Labelled training = rings(600, 3, 1);
  classifier.fit(training.x, training.y);
  const std::vector<double> inside = classifier.predict_probabilities(std::vector<double>{0, 2});
  EXPECT_GT(inside[1], 0.8);
  // A missing input leaves more open than a known one.
  const std::vector<double> open =
      classifier.predict_probabilities(std::vector<double>{kMissing, 2});
  EXPECT_LT(*std::ranges::max_element(open), *std::ranges::max_element(inside));
}

TEST(Classifier, AStreamLearns) {
  constexpr double kMostError = 0.1;
  Classifier classifier({.hidden = {50}, .classes = 3});
  const Labelled stream = rings(4000, 3, 3);
  constexpr std::size_t kRows = 100;
  for (std::size_t i = 0; i < stream.y.size(); i += kRows)
    classifier.partial_fit(std::span(stream.x).subspan(2 * i, 2 * kRows),
                           std::span(stream.y).subspan(i, kRows));
  EXPECT_LT(quality_of(classifier, rings(2000, 3, 4)).error, kMostError);
}

}  // namespace
}  // namespace postrider
