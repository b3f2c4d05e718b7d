#include "postrider/classifier.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "base/random.h"
#include "complaint.h"
#include "files.h"
#include "postrider/metrics.h"
#include "postrider/regressor.h"

namespace postrider {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRounding = 1e-12;

struct Labelled {
  std::vector<double> x;
  std::vector<std::size_t> y;
};

// The signs of two coordinates decide together; a share of the labels is wrong.
constexpr double kFlipped = 0.1;
Labelled noisy_xor(std::size_t rows, std::uint64_t seed, double flipped = kFlipped) {
  Labelled out;
  RandomStream random(seed, 0);
  for (std::size_t i = 0; i < rows; ++i) {
    const double a = random.uniform(-1, 1), b = random.uniform(-1, 1);
    out.x.insert(out.x.end(), {a, b});
    out.y.push_back(((a > 0) != (b > 0)) != (random.uniform() < flipped) ? 1 : 0);
  }
  return out;
}

// Rings around the origin, of radius 1, 2, 3, ... and deviation 0.2.
Labelled rings(std::size_t rows, std::size_t classes, std::uint64_t seed) {
  Labelled out;
  RandomStream random(seed, 0);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t ring = random.below(classes);
    const double radius = static_cast<double>(ring) + 1 + 0.2 * random.normal();
    const double angle = random.uniform(0, 2 * std::numbers::pi);
    out.x.insert(out.x.end(), {radius * std::cos(angle), radius * std::sin(angle)});
    out.y.push_back(ring);
  }
  return out;
}

ClassifierOptions quick() { return {.hidden = {20}, .training = {.max_epochs = 15}}; }

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
  // One label in ten is wrong, which costs 0.325 nats at least. The confidence is about 0.06 below the
  // accuracy here, for a reason that is not known; another temperature does not mend it.
  constexpr double kMostError = 0.14, kMostLoss = 0.41, kMostGap = 0.1;
  Classifier classifier({.hidden = {30}});
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
  Classifier classifier({.hidden = {50}});
  const Labelled training = rings(1500, 3, 1);
  const FitReport report = classifier.fit(training.x, training.y);
  EXPECT_GT(report.epochs.back().score, report.epochs.front().score);
  EXPECT_EQ(classifier.classes(), 3U);
  EXPECT_EQ(classifier.network().options().outputs(), 3U);
  const Quality found = quality_of(classifier, rings(4000, 3, 2));
  EXPECT_LT(found.error, kMostError);
  EXPECT_LT(found.log_loss, kMostLoss);
  EXPECT_LT(found.calibration, kMostGap);
}

TEST(Classifier, AMissingInputLeavesMoreOpen) {
  Classifier classifier({.hidden = {50}});
  const Labelled training = rings(600, 3, 1);
  classifier.fit(training.x, training.y);
  const std::vector<double> inside = classifier.predict_probabilities(std::vector<double>{0, 2});
  EXPECT_GT(inside[1], 0.8);
  // A missing input leaves more open than a known one.
  const std::vector<double> open =
      classifier.predict_probabilities(std::vector<double>{kMissing, 2});
  EXPECT_LT(*std::ranges::max_element(open), *std::ranges::max_element(inside));
}

TEST(Classifier, ProbabilitiesAreProbabilities) {
  RandomStream random(3, 0);
  for (const std::size_t classes : {2, 3, 7})
    for (const Precision precision : {Precision::float32, Precision::float64}) {
      Labelled rows;
      for (int i = 0; i < 60; ++i) {
        for (int k = 0; k < 3; ++k)
          rows.x.push_back(random.uniform() < 0.1 ? kMissing : 100 * random.normal());
        rows.y.push_back(random.below(classes));
      }
      ClassifierOptions options = quick();
      options.classes = classes;
      options.precision = precision;
      Classifier classifier(options);
      classifier.fit(rows.x, rows.y);
      for (int i = 0; i < 300; ++i) {
        const double scale = random.log_uniform(1e-3, 1e6);
        rows.x.push_back(random.uniform() < 0.1 ? kMissing : scale * random.normal());
      }
      const std::vector<double> p = classifier.predict_probabilities(rows.x);
      ASSERT_EQ(p.size(), rows.x.size() / 3 * classes);
      for (std::size_t i = 0; i < p.size(); i += classes) {
        double sum = 0;
        for (std::size_t k = 0; k < classes; ++k) {
          EXPECT_GE(p[i + k], 0);
          sum += p[i + k];
        }
        EXPECT_NEAR(sum, 1, kRounding);
      }
    }
}

TEST(Classifier, ThreadsGiveTheSameBits) {
  const Labelled training = rings(300, 4, 1);
  ClassifierOptions options = quick();
  options.training.parallel_groups = 4;
  Classifier one(options);
  one.fit(training.x, training.y);
  options.training.threads = 3;
  Classifier three(options);
  three.fit(training.x, training.y);
  EXPECT_EQ(one.predict_probabilities(training.x), three.predict_probabilities(training.x));
  EXPECT_EQ(one.noise_variance(), three.noise_variance());
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

TEST(Classifier, ALoadedOneIsTheSame) {
  TemporaryFolder folder;
  const std::string path = folder.file("model");
  for (const std::size_t classes : {2, 5}) {
    const Labelled training = rings(200, classes, 1);
    Classifier saved(quick());
    saved.fit(training.x, training.y);
    saved.save(path);
    Classifier loaded = Classifier::load(path);
    EXPECT_EQ(loaded.classes(), classes);
    EXPECT_EQ(loaded.inputs(), 2U);
    EXPECT_EQ(loaded.options().hidden, saved.options().hidden);
    EXPECT_EQ(loaded.predict_probabilities(training.x), saved.predict_probabilities(training.x));
    saved.partial_fit(training.x, training.y);
    loaded.partial_fit(training.x, training.y);
    EXPECT_EQ(loaded.predict_probabilities(training.x), saved.predict_probabilities(training.x));
    EXPECT_EQ(
        trouble([&] { Regressor::load(path); }),
        "cannot read the model " + path + ": it is a classifier, and a regressor was asked for");
  }
  Regressor regressor({.hidden = {2}, .training = {.max_epochs = 1}});
  regressor.fit(std::vector<double>{1, 2}, std::vector<double>{1, 2});
  regressor.save(path);
  EXPECT_EQ(
      trouble([&] { Classifier::load(path); }),
      "cannot read the model " + path + ": it is a regressor, and a classifier was asked for");
}

TEST(Classifier, SaysWhatIsMissingBeforeAnythingWasLearned) {
  const Classifier classifier(quick());
  const std::string expected = "this classifier has not learned anything yet: call fit() first";
  EXPECT_EQ(trouble([&] { classifier.predict(std::vector<double>{1}); }), expected);
  EXPECT_EQ(trouble([&] { classifier.network(); }), expected);
  EXPECT_EQ(trouble([&] { classifier.noise_variance(); }), expected);
  EXPECT_EQ(trouble([&] { classifier.save("nowhere"); }), expected);
  EXPECT_EQ(classifier.inputs(), 0U);
  EXPECT_EQ(classifier.classes(), 0U);
}

TEST(Classifier, OptionsAndRowsAreChecked) {
  EXPECT_EQ(complaint([] { Classifier({.classes = 1}); }),
            "classes = 1: must be at least 2, or 0 to infer it");
  EXPECT_EQ(complaint([] { Classifier({.slope = 2}); }),
            "layers[0].slope = 2: must lie between 0 and 1");
  EXPECT_EQ(complaint([] { Classifier({.training = {.max_epochs = 0}}); }),
            "max_epochs = 0: must be at least 1");

  ClassifierOptions options = quick();
  options.classes = 3;
  Classifier classifier(options);
  const auto complaint_of = [&](const std::vector<double>& x, const std::vector<std::size_t>& y) {
    const std::string fitting = complaint([&] { classifier.fit(x, y); });
    EXPECT_EQ(complaint([&] { classifier.partial_fit(x, y); }), fitting);
    EXPECT_EQ(classifier.inputs(), 0U) << "refused rows fix nothing";
    return fitting;
  };
  EXPECT_EQ(complaint_of({1}, {}), "labels = 0: must hold at least one row");
  EXPECT_EQ(complaint_of({1, 2, 3}, {1, 2}),
            "inputs = 3: must hold the same number of values for every row of labels");
  EXPECT_EQ(complaint_of({1, kInfinity}, {1, 2}),
            "inputs = inf: must be finite, or NaN for a missing value");
  EXPECT_EQ(complaint_of({1, 2}, {1, 3}),
            "labels = 3: must be below the number of classes, 3, which the options or the first "
            "rows say");
  EXPECT_EQ(complaint([] {
              Classifier(quick()).fit(std::vector<double>{1}, std::vector<std::size_t>{20000});
            }),
            "labels = 20000: must be class numbers from 0; set options.classes if there are more "
            "than 10000");
}

// A constant column, one row, a class that never comes, and missing columns still give numbers.
TEST(Classifier, PoorDataGivesNumbers) {
  for (const auto& [x, y] :
       {std::pair<std::vector<double>, std::vector<std::size_t>>{{5, 5, 5}, {1, 1, 1}},
        {{1}, {2}},
        {{kMissing, kMissing}, {0, 4}}}) {
    Classifier classifier(quick());
    classifier.fit(x, y);
    for (const double p : classifier.predict_probabilities(x)) EXPECT_TRUE(p >= 0 && p <= 1);
  }
}

}  // namespace
}  // namespace postrider
