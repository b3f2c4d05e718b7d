#include "sparse/linear.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rows.h"

namespace postrider::internal::hashed {
namespace {

constexpr double kFloat = 2e-6;

const std::vector<std::uint64_t> kKeys{11, 22, 33};
const std::vector<float> kValues{1, -2, 0.5F};
const RowView kRow{kKeys, kValues};

Linear with_bias(const Bank& bank) {
  Linear out(bank.lanes);
  for (std::size_t k = 0; k < bank.lanes; ++k) {
    out.bias.mean[k] = 0.25;
    out.bias.variance[k] = 3;
  }
  return out;
}

TEST(Linear, ScoresAndLearnsAsTheFormulaSays) {
  const Bank bank = Bank::usual();
  Linear linear = with_bias(bank);
  linear.touch(kRow, bank, true);
  EXPECT_EQ(linear.weights.size(), 3U);
  const double square = (1 + 4 + 0.25) / 3;  // mean over the inputs, which sets the prior's unit
  const LaneMoments first = linear.touched_score();
  Answers answers;
  for (std::size_t k = 0; k < 8; ++k) {
    const double prior = bank.prior[k] / square;
    EXPECT_NEAR(first.mean[k], 0.25, kFloat);
    EXPECT_NEAR(first.variance[k], 3 + 5.25 * prior, kFloat * (3 + 5.25 * prior));
    answers.g1[k] = 0.7 + 0.1 * static_cast<double>(k);
    answers.g2[k] = 0.5 / first.variance[k];
  }
  linear.learn(answers);
  double mean = 0, variance = 0;
  for (std::size_t k = 0; k < 8; ++k) {
    const double prior = bank.prior[k] / square;
    mean = 0.25;
    variance = 3;
    for (const double x : {1.0, -2.0, 0.5}) {
      mean += x * prior * x * answers.g1[k];
      variance += x * x * (prior - prior * prior * x * x * answers.g2[k]);
    }
    const LaneMoments after = linear.score(kRow);
    EXPECT_NEAR(after.mean[k], mean, kFloat * (1 + std::abs(mean)));
    EXPECT_NEAR(after.variance[k], variance, kFloat * (1 + variance));
  }
}

// A weight that was never touched counts with the prior's variance, and is not created by a prediction.
TEST(Linear, PriorIsImplied) {
  const Bank bank = Bank::usual();
  Linear linear = with_bias(bank);
  linear.touch(kRow, bank, true);
  const std::vector<std::uint64_t> keys{11, 99};
  const std::vector<float> values{1, 2};
  const LaneMoments score = linear.score({keys, values});
  EXPECT_EQ(linear.weights.size(), 3U);
  for (std::size_t k = 0; k < 8; ++k) {
    const double prior = bank.prior[k] / 1.75;
    EXPECT_NEAR(score.variance[k], 3 + 5 * prior, kFloat * (3 + 5 * prior));
  }
}

// What is taken out and put in again with the same derivatives is the same belief; what the message says is its quotient by
// the cavity.
TEST(Linear, MessagesComeOutAgain) {
  Bank bank = Bank::usual();
  bank.keep(std::vector<std::size_t>{4, 5});
  Linear linear = with_bias(bank);
  linear.touch(kRow, bank, true);
  std::vector<float> stored(kKeys.size() * 4);
  std::size_t guarded = 0;
  const LaneMoments before = linear.cavity_score(stored, guarded);
  Answers answers;
  answers.g1 = {0.6, -0.4};
  answers.g2 = {0.1, 0.05};
  linear.renew(answers, stored);
  const LaneMoments learned = linear.touched_score();
  EXPECT_NE(learned.mean[0], before.mean[0]);
  const LaneMoments again = linear.cavity_score(stored, guarded);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(again.mean[k], before.mean[k], 10 * kFloat);
    EXPECT_NEAR(again.variance[k], before.variance[k], 10 * kFloat * before.variance[k]);
  }
  linear.renew(answers, stored);
  EXPECT_NEAR(linear.touched_score().mean[1], learned.mean[1], 10 * kFloat);
  EXPECT_EQ(guarded, 0U);
}

TEST(Linear, KeepsLanes) {
  const Bank bank = Bank::usual();
  Linear linear = with_bias(bank);
  linear.touch(kRow, bank, true);
  Answers answers;
  for (std::size_t k = 0; k < 8; ++k) answers.g1[k] = 0.1 * static_cast<double>(k + 1);
  linear.learn(answers);
  linear.bias.mean[5] = 4;
  const LaneMoments before = linear.score(kRow);
  linear.keep(std::vector<std::size_t>{2, 5});
  const LaneMoments after = linear.score(kRow);
  EXPECT_EQ(linear.weights.width(), 2U);
  EXPECT_EQ(after.mean[0], before.mean[2]);
  EXPECT_EQ(after.mean[1], before.mean[5]);
  EXPECT_EQ(after.variance[1], before.variance[5]);
}

// Rounding would leave nothing of a variance that one exact row uses up.
TEST(Linear, VarianceStaysAboveZero) {
  double mean = 0, variance = 2;
  tilt(mean, variance, 1, 0.5);
  EXPECT_EQ(mean, 2);
  EXPECT_EQ(variance, 2 * kLeastLeft);
}

}  // namespace
}  // namespace postrider::internal::hashed
