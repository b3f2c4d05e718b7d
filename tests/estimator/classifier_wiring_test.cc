// That what a Classifier has learned reaches its probabilities.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "complaint.h"
#include "estimator/labelled.h"
#include "files.h"
#include "postrider/classifier.h"
#include "postrider/training.h"

namespace postrider {
namespace {

constexpr double kRounding = 1e-12;

double probit(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

// The mean over the ensemble of Phi(m/sqrt(t (v + noise))), from what the estimator tells of itself.
TEST(ClassifierWiring, TheTemperatureReachesTheProbabilities) {
  const Labelled training = noisy_xor(1200, 1);
  EstimatorOptions options;
  options.hidden = {6};
  options.ensemble_size = 2;
  options.training.max_epochs = 4;
  Classifier classifier(options);
  classifier.fit(training.x, training.y);
  const double temperature = classifier.temperature();
  ASSERT_GT(std::abs(temperature - 1), 1e-3) << "nothing to see";
  const std::vector<double> inputs{0.5, -0.4, -0.1, -0.9, 0.02, 0.03};
  const std::vector<double> found = classifier.predict_probabilities(inputs);
  const SparseInputs x = classifier.encoded_inputs(inputs);
  for (std::size_t row = 0; row < 3; ++row) {
    double expected = 0;
    for (std::size_t m = 0; m < 2; ++m) {
      const network::Network::OutputMoments scores = classifier.network(m).predict(x);
      const double variance = scores.variance[row] + classifier.noise_variance(m).front();
      expected += probit(scores.mean[row] / std::sqrt(temperature * variance)) / 2;
    }
    EXPECT_NEAR(found[2 * row + 1], expected, kRounding);
    EXPECT_NEAR(found[2 * row], 1 - expected, kRounding);
  }
}

// The rows kept back for it are drawn by the seed, and their weights count: of rows that count little the
// temperature stays where its prior has it.
TEST(ClassifierWiring, TheTemperatureFollowsTheWeightsOfTheRowsKeptBack) {
  const Labelled training = noisy_xor(1200, 1);
  const auto temperature = [&](double weight) {
    EstimatorOptions options;
    options.hidden = {6};
    options.ensemble_size = 1;
    options.power = 1;
    options.weights_per_example = 0;
    options.training.max_epochs = 2;
    Classifier classifier(options);
    classifier.fit(training.x, training.y, std::vector<double>(training.y.size(), weight));
    return classifier.temperature();
  };
  EXPECT_NE(temperature(1), temperature(0.01));
  EXPECT_NEAR(temperature(1e-6), 1, 1e-3);
}

// As for a Regressor: what is kept to predict with is made anew.
TEST(ClassifierWiring, PredictionsFollowWhatWasLearned) {
  const Labelled training = noisy_xor(120, 1);
  EstimatorOptions options;
  options.hidden = {6};
  options.ensemble_size = 16;
  options.training.max_epochs = 1;
  Classifier classifier(options);
  const TemporaryFolder folder;
  std::vector<double> before;
  const auto expect_new = [&] {
    const std::vector<double> found = classifier.predict_probabilities(training.x);
    EXPECT_NE(found, before);
    classifier.save(folder.file("model"));
    EXPECT_EQ(found, Classifier::load(folder.file("model")).predict_probabilities(training.x));
    before = found;
  };
  classifier.fit(training.x, training.y);
  expect_new();
  classifier.partial_fit(std::span(training.x).first(40), std::span(training.y).first(20));
  expect_new();
  classifier.fit(std::span(training.x).first(120), std::span(training.y).first(60));
  expect_new();
}

// Groups of a row each are none; others leave out other rows.
TEST(ClassifierWiring, GroupsReachTheFolds) {
  const Labelled training = noisy_xor(160, 1);
  std::vector<std::uint32_t> alone, in_eights;
  for (std::uint32_t i = 0; i < 160; ++i) {
    alone.push_back(500 - i);
    in_eights.push_back(i / 8);
  }
  EstimatorOptions options;
  options.hidden = {6};
  options.ensemble_size = 8;
  options.training.max_epochs = 4;
  const auto fitted = [&](std::span<const std::uint32_t> groups) {
    Classifier out(options);
    out.fit(training.x, training.y, {}, {}, groups);
    return out.predict_probabilities(training.x);
  };
  const std::vector<double> without = fitted({});
  EXPECT_EQ(fitted(alone), without);
  EXPECT_NE(fitted(in_eights), without);
  EXPECT_EQ(complaint([&] { fitted(std::span(alone).first(3)); }),
            "groups = 3: must be one for each row, or none");
}

}  // namespace
}  // namespace postrider
