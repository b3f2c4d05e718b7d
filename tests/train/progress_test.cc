#include "train/progress.h"

#include <gtest/gtest.h>

#include <cmath>

namespace postrider::network {
using namespace internal;
namespace {

constexpr double kClose = 1e-12;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Two rows of one output, predicted as N(mean, 0.5) each.
class ProgressTest : public testing::Test {
 protected:
  ProgressTest() { targets->load(values, 2); }

  EpochReport close(std::size_t epoch, double predicted, double drift = 0) {
    const std::vector<double> mean(2, predicted), variance(2, 0.5);
    EpochReport report;
    report.epoch = epoch;
    report.drift = drift;
    const Predictions<const double> rows{mean, variance};
    close_epoch<double>(
        progress, options, known_noise, *targets, targets->assess_all(rows, progress.noise), report,
        [&](WeightMessages<double>& best) { best.tau[0] = static_cast<double>(epoch); });
    keep_left_out(progress, options, rows, left_out, report);
    return report;
  }
  // Mean log-likelihood with this noise.
  double score(double predicted, double noise) const {
    double out = 0;
    for (const double y : values)
      out -= 0.25 * (std::log(2 * M_PI * (0.5 + noise)) +
                     (y - predicted) * (y - predicted) / (0.5 + noise));
    return out;
  }

  const std::vector<double> values{1, 3};
  std::unique_ptr<Targets<double>> targets = make_targets<double>(Likelihood::gaussian, 1);
  TrainerOptions options;
  std::vector<double> known_noise;
  std::vector<std::uint32_t> left_out;
  Progress<double> progress = Progress<double>::beginning({0.3}, WeightMessages<double>(1));
};

TEST_F(ProgressTest, TheBestEpochIsKeptWithTheNoiseItHad) {
  const EpochReport first = close(1, 0);
  EXPECT_NEAR(first.score, score(0, 0.3), kClose);
  EXPECT_EQ(first.best_epoch, 1U);
  EXPECT_EQ(progress.best.tau[0], 1);
  EXPECT_EQ(progress.best_noise, std::vector<double>{0.3});
  EXPECT_GT(progress.noise[0], 0.3) << "residuals of 1 and 3 ask for more";
  EXPECT_EQ(first.noise_variance, progress.noise);

  const double noise = progress.noise[0];
  const EpochReport better = close(2, 2);
  EXPECT_NEAR(better.score, score(2, noise), kClose);
  EXPECT_EQ(better.best_epoch, 2U);
  EXPECT_EQ(progress.best.tau[0], 2);
  EXPECT_EQ(progress.best_noise, std::vector<double>{noise});

  const EpochReport worse = close(3, -4);
  EXPECT_LT(worse.score, better.score);
  EXPECT_EQ(worse.best_epoch, 2U);
  EXPECT_EQ(progress.best_epoch, 2U);
  EXPECT_EQ(progress.best_score, better.score);
  EXPECT_EQ(progress.best.tau[0], 2);
  EXPECT_EQ(progress.best_noise, std::vector<double>{noise});
}

TEST_F(ProgressTest, RowsAreKeptAsTheEpochThatCountsPredictedThem) {
  left_out = {1, 0};
  progress.left_out = {0, {0, 0}, {0, 0}};
  close(1, 0);
  close(2, 2);
  close(3, -4);
  EXPECT_EQ(progress.left_out.of_epoch(2).mean, (std::vector<double>{2, 2}));
  EXPECT_EQ(progress.left_out.of_epoch(2).variance, (std::vector<double>{0.5, 0.5}));
  EXPECT_TRUE(progress.left_out.of_epoch(3).mean.empty()) << "another epoch's";
  options.stopping = TrainerOptions::Stopping::epochs;
  close(4, -4);
  EXPECT_EQ(progress.left_out.of_epoch(4).mean, (std::vector<double>{-4, -4}));
  close(5, 2, kInfinity);
  EXPECT_TRUE(progress.left_out.of_epoch(5).mean.empty()) << "no numbers";
}

TEST_F(ProgressTest, NothingIsKeptOfRowsUnlessAsked) {
  close(1, 0);
  EXPECT_TRUE(progress.left_out.of_epoch(1).mean.empty());
  EXPECT_TRUE(progress.left_out.of_epoch(0).mean.empty());
}

TEST_F(ProgressTest, NoiseStaysIfItIsNotLearned) {
  options.learn_noise = false;
  const EpochReport report = close(1, 0);
  EXPECT_EQ(report.noise_variance, std::vector<double>{0.3});
}

TEST_F(ProgressTest, AnEpochWithoutNumbersIsNeverTheBest) {
  EXPECT_FALSE(is_sound(close(1, 2, kInfinity)));
  EXPECT_EQ(progress.best_epoch, 0U);
  EXPECT_FALSE(is_sound(close(2, kInfinity)));
  EXPECT_EQ(progress.best_epoch, 0U);
  EXPECT_EQ(progress.best.tau[0], 0) << "as it began";
  progress.noise = {0.3};
  EXPECT_TRUE(is_sound(close(3, 0)));
  EXPECT_EQ(progress.best_epoch, 3U);
}

TEST(Progress, OnlyTheScoreLooksBack) {
  EXPECT_FALSE(keeps_last({.stopping = TrainerOptions::Stopping::score}));
  EXPECT_TRUE(keeps_last({.stopping = TrainerOptions::Stopping::epochs}));
  EXPECT_TRUE(keeps_last({.stopping = TrainerOptions::Stopping::paper}));
}

TEST_F(ProgressTest, NoiseComesDownToTheKnownOneAndTheBestEpochIsDecidedThere) {
  known_noise = {1e-6};
  close(1, 2);
  // Half of the way in the logarithm, but in the first epoch to a quarter at most.
  EXPECT_NEAR(progress.noise[0], std::sqrt(0.3 * 0.25 * 0.3), kClose);
  const double before = progress.noise[0];
  close(2, 2);
  EXPECT_NEAR(progress.noise[0], std::sqrt(before * 1e-6), kClose);
  std::size_t epoch = 2;
  while (progress.noise != known_noise) close(++epoch, 2);
  EXPECT_LT(epoch, 20U);
  EXPECT_EQ(progress.best_score, -kInfinity);
  EXPECT_GT(progress.best_epoch, 0U) << "should training end here, there is one";
  // With far worse predictions than before: scores of another noise do not count.
  const EpochReport there = close(++epoch, -4);
  EXPECT_EQ(there.best_epoch, epoch);
  EXPECT_EQ(progress.best_noise, known_noise);
  EXPECT_EQ(progress.noise, known_noise);
}

TEST_F(ProgressTest, MeansRunAheadAfterThreeEpochsUnlessTheLastWasWorse) {
  const auto after = [&](const std::vector<double>& scores, std::size_t rows) {
    progress.epochs.assign(scores.size(), {});
    for (std::size_t e = 0; e < scores.size(); ++e) progress.epochs[e].score = scores[e];
    return part_ahead(progress, rows);
  };
  for (const std::size_t rows : {100U, 5000U}) {
    EXPECT_EQ(after({}, rows), 0);
    EXPECT_EQ(after({-3, -2}, rows), 0);
    EXPECT_EQ(after({-3, -2, -1}, rows), 1);
    EXPECT_EQ(after({-1, -3, -2}, rows), 1) << "better than the one before is enough";
    EXPECT_EQ(after({-3, -2, -2}, rows), 1);
    EXPECT_EQ(after({-3, -1, -2}, rows), 0);
  }
  const std::vector<double> fell_twice{-3, -2, -3, -2, -3, -2, -1};
  EXPECT_EQ(after(fell_twice, 2999), 1) << "of few rows it may be chance";
  EXPECT_NEAR(after(fell_twice, 3000), 0.5 * 1.1 * 0.5 * 1.1 * 1.1, 1e-12);
  EXPECT_EQ(after({-3, -2, -3, -2, -1, 0, 1, 2, 3, 4, 5}, 3000), 1) << "rises bring it back";
}

}  // namespace
}  // namespace postrider::network
