#include "postrider/classifier.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/random.h"
#include "complaint.h"
#include "estimator/labelled.h"
#include "files.h"
#include "postrider/regressor.h"

namespace postrider {
using namespace internal;
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRounding = 1e-12;

EstimatorOptions quick() {
  return {.hidden = {20},
          .ensemble_size = 1,
          .encoding = Encoding::standard,
          .training = {.max_epochs = 15}};
}

TEST(Classifier, ProbabilitiesAreProbabilities) {
  RandomStream random(3, 0);
  for (const std::size_t classes : {2, 3, 7})
    for (const network::Precision precision :
         {network::Precision::float32, network::Precision::float64}) {
      Labelled rows;
      for (int i = 0; i < 60; ++i) {
        for (int k = 0; k < 3; ++k)
          rows.x.push_back(random.uniform() < 0.1 ? kMissing : 100 * random.normal());
        rows.y.push_back(random.below(classes));
      }
      EstimatorOptions options = quick();
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
  EstimatorOptions options = quick();
  options.training.parallel_groups = 4;
  Classifier one(options);
  one.fit(training.x, training.y);
  options.training.threads = 3;
  Classifier three(options);
  three.fit(training.x, training.y);
  EXPECT_EQ(one.predict_probabilities(training.x), three.predict_probabilities(training.x));
  EXPECT_EQ(one.noise_variance(), three.noise_variance());
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
  EXPECT_EQ(trouble([&] { Classifier::load(path); }),
            "cannot read the model " + path +
                ": it is a regressor with varying noise, and a classifier was asked for");
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
            "classes = 1: must be at least 2, or 0 to choose it");
  EXPECT_EQ(complaint([] { Classifier({.slope = 2}); }),
            "slope = 2: must be a number of at least 0 and at most 1");
  EXPECT_EQ(complaint([] { Classifier({.training = {.parallel_groups = 0}}); }),
            "parallel_groups = 0: must be at least 1 and at most 4096");

  EstimatorOptions options = quick();
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
