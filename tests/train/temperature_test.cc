#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "complaint.h"
#include "postrider/network/trainer.h"

namespace postrider::network {
using namespace internal;
namespace {

constexpr double kNoise = 0.2;

struct Drawn {
  Trainer::NoisyScores told;
  std::vector<std::size_t> labels;
};

// Labels of two classes: the sign of N(mean, variance + noise). What is told of the variances is
// `factor` times too much.
Drawn drawn_scores(std::size_t rows, double factor) {
  Drawn out{{{}, factor * kNoise}, {}};
  RandomStream random(5, 0);
  for (std::size_t row = 0; row < rows; ++row) {
    const double mean = 2 * random.normal(), variance = random.uniform(0.1, 2);
    out.told.scores.mean.push_back(mean);
    out.told.scores.variance.push_back(factor * variance);
    out.labels.push_back(mean + std::sqrt(variance + kNoise) * random.normal() > 0 ? 1 : 0);
  }
  return out;
}

TEST(Temperature, IsFound) {
  // Three deviations of an estimate from so many labels, and what pulls it towards 1.
  constexpr std::size_t kRows = 20000;
  constexpr double kStray = 0.12;
  for (const double factor : {0.3, 1.0, 3.0}) {
    const Drawn drawn = drawn_scores(kRows, factor);
    const double found = class_temperature(std::span(&drawn.told, 1), 1, drawn.labels, 2);
    EXPECT_NEAR(std::log(found * factor), 0, kStray) << factor;
  }
}

TEST(Temperature, FewRowsSayLittle) {
  const Drawn drawn = drawn_scores(5, 3);
  const double found = class_temperature(std::span(&drawn.told, 1), 1, drawn.labels);
  EXPECT_GT(found, 0.4);
  EXPECT_LT(found, 2.5);
  EXPECT_EQ(class_temperature({}, 1, {}), 1);
}

// The same as if all variances had been multiplied beforehand.
TEST(Temperature, MultipliesVariancesAndNoise) {
  constexpr double kTemperature = 0.37;
  Network::OutputMoments scores{{0.3, -0.2, 1, 2, 0, 0.5}, {0.5, 1, 0.2, 0.1, 2, 0.7}},
      cooled = scores;
  for (double& variance : cooled.variance) variance *= kTemperature;
  EXPECT_EQ(class_probabilities(scores, 3, kNoise, 1, kTemperature),
            class_probabilities(cooled, 3, kTemperature * kNoise));
}

TEST(Temperature, MistakesAreNamed) {
  const Drawn drawn = drawn_scores(3, 1);
  const auto complaint_of = [&](const std::vector<std::size_t>& labels) {
    return complaint([&] { class_temperature(std::span(&drawn.told, 1), 1, labels); });
  };
  EXPECT_EQ(complaint_of({0, 1}), "labels = 2: must be one for each row of scores");
  EXPECT_EQ(complaint_of({0, 1, 2}), "labels = 2: must be below 2");
  EXPECT_EQ(complaint([&] { class_probabilities(drawn.told.scores, 1, 1, 1, 0); }),
            "temperature = 0: must be a number above 0");
}

}  // namespace
}  // namespace postrider::network
