#include "estimator/out_of_fold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/random.h"
#include "estimator/dense.h"
#include "postrider/regressor.h"

namespace postrider {
using namespace internal;
namespace {

// What a score pays for, in rows: numbers that the rows that judge have set.
constexpr double kNumbersSet = 8;
constexpr double kClose = 1e-9;
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

double square_of(double x) { return x * x; }

// Networks that have learned nothing, of one input, with the scales 0 and 1.
FittedModel model_of(ModelKind kind, std::size_t members, std::vector<double> noise) {
  const std::size_t outputs = kind == ModelKind::varying_noise ? 2 : 1;
  const Scales plain{{0}, {1}};
  FittedModel out{
      kind,
      untrained_members(
          members, {{4}, network::Activation::leaky_relu, 0.05, network::Precision::float64, 1}, 1,
          outputs),
      plain, TargetScales(plain)};
  out.encoding = InputEncoding(plain);
  for (Member& member : out.members) member.noise_variance = noise;
  return out;
}

struct Given {
  std::vector<double> x, y;

  Examples rows() const { return {x, y}; }
};

Given drawn_rows(std::size_t rows) {
  Given out;
  RandomStream random(11, 0);
  for (std::size_t i = 0; i < rows; ++i) {
    out.x.push_back(random.normal());
    out.y.push_back(random.normal());
  }
  return out;
}

// Moments of what all members predict of each row now.
struct AllMembers {
  AllMembers(const FittedModel& model, const Given& given) : mean(given.y.size()), between(mean) {
    for (const Member& member : model.members) {
      of_members.push_back(member.network.predict({given.x}).mean);
      for (std::size_t i = 0; i < mean.size(); ++i)
        mean[i] += of_members.back()[i] / static_cast<double>(model.members.size());
    }
    for (const std::vector<double>& own : of_members)
      for (std::size_t i = 0; i < mean.size(); ++i)
        between[i] += square_of(own[i] - mean[i]) / static_cast<double>(of_members.size() - 1);
  }

  std::vector<double> mean, between;
  std::vector<std::vector<double>> of_members;
};

class HonestPredictionsTest : public testing::Test {
 protected:
  HonestPredictions found(const FittedModel& model, const MemberFolds& folds,
                          const std::vector<network::Network::OutputMoments>& left_out,
                          std::vector<std::size_t> numbers = {}) {
    if (numbers.empty())
      for (std::size_t m = 0; m < left_out.size(); ++m) numbers.push_back(m);
    return honest_predictions(model, given.rows(), given.y, {folds, numbers, left_out}, workers);
  }
  MemberFolds folds_for(std::size_t members) const {
    return {given.rows(), ModelKind::regressor, members, 1};
  }

  Given given = drawn_rows(16);
  Workers workers{1};
};

// Sixteen members: two leave out each row. One of them says so much more than the centre and the other so much less
// that they lie 1.5 times as far apart as all sixteen do: (2 d)^2/2 = 1.5^2 V. Half the row's own variance is said
// by either, more or less.
TEST_F(HonestPredictionsTest, RowsThatTwoMembersLeaveOut) {
  constexpr double kNoise = 0.3, kApart = 1.5;
  constexpr std::size_t kMembers = 16, kRows = 16;
  const FittedModel model = model_of(ModelKind::regressor, kMembers, {kNoise});
  const AllMembers all(model, given);
  const MemberFolds folds = folds_for(kMembers);
  for (double& y : given.y) y *= 4;  // else more is missed by chance than there is
  given.y[5] = kMissing;
  const auto centre = [](std::size_t row) { return 0.1 * static_cast<double>(row) - 0.5; };
  const auto variance = [](std::size_t row) { return 0.2 + 0.01 * static_cast<double>(row); };
  std::vector<network::Network::OutputMoments> left_out(kMembers);
  for (std::size_t m = 0; m < kMembers; ++m)
    for (const std::uint32_t row : folds.left_out_by(m)) {
      const double sign = m < 8 ? 1 : -1;
      left_out[m].mean.push_back(centre(row) + sign * kApart * std::sqrt(all.between[row] / 2));
      left_out[m].variance.push_back(variance(row) * (1 + 0.5 * sign));
    }
  double error = 0, lost = 0;
  for (std::size_t row = 0; row < kRows; ++row) {
    if (std::isnan(given.y[row])) continue;
    const double unit = variance(row) + kNoise;
    error += square_of(given.y[row] - centre(row)) / unit;
    lost += square_of(kApart) * all.between[row] * (1.0 / 2 - 1.0 / 16) / unit;
  }
  const double share = std::sqrt(1 - lost / error);
  ASSERT_GT(1 - lost / error, 0.1) << "else it is bounded";
  ASSERT_LT(share, 0.99) << "else there is nothing to see";
  const HonestPredictions honest = found(model, folds, left_out);
  ASSERT_EQ(honest.rows.size(), kRows);
  ASSERT_EQ(honest.of_members.size(), kMembers);
  for (std::size_t row = 0; row < kRows; ++row) {
    EXPECT_EQ(honest.rows[row], row);
    const double y = given.y[row];
    const double shrunk = std::isnan(y) ? centre(row) : y - share * (y - centre(row));
    for (std::size_t m = 0; m < kMembers; ++m) {
      EXPECT_NEAR(honest.of_members[m].mean[row],
                  shrunk + kApart * (all.of_members[m][row] - all.mean[row]), kClose);
      EXPECT_NEAR(honest.of_members[m].variance[row], variance(row), kClose);
    }
  }
}

// Three members: a row is left out by one or none, and nobody knows how far others would lie from it that do, too.
TEST_F(HonestPredictionsTest, RowsThatOneMemberLeavesOut) {
  constexpr double kNoise = 0.5, kVariance = 0.2;
  const FittedModel model = model_of(ModelKind::regressor, 3, {kNoise});
  const AllMembers all(model, given);
  const MemberFolds folds = folds_for(3);
  std::vector<network::Network::OutputMoments> left_out(3);
  std::vector<std::uint32_t> rows;
  for (std::size_t m = 0; m < 3; ++m)
    for (const std::uint32_t row : folds.left_out_by(m)) {
      left_out[m].mean.push_back(0.4);
      left_out[m].variance.push_back(kVariance);
      rows.push_back(row);
    }
  std::ranges::sort(rows);
  double error = 0, lost = 0;
  for (const std::uint32_t row : rows) {
    error += square_of(given.y[row] - 0.4) / (kVariance + kNoise);
    lost += all.between[row] * (1 - 1.0 / 3) / (kVariance + kNoise);
  }
  const double share = std::sqrt(std::clamp(1 - lost / error, 0.1, 1.0));
  const HonestPredictions honest = found(model, folds, left_out);
  ASSERT_EQ(honest.rows, rows) << "those that nobody leaves out are not judged";
  for (std::size_t k = 0; k < rows.size(); ++k)
    for (std::size_t m = 0; m < 3; ++m) {
      const double y = given.y[rows[k]];
      EXPECT_NEAR(honest.of_members[m].mean[k],
                  y - share * (y - 0.4) + all.of_members[m][rows[k]] - all.mean[rows[k]], kClose);
      EXPECT_NEAR(honest.of_members[m].variance[k], kVariance, kClose);
    }
}

// What few rows say by chance is bounded: r by 1 and 2, the square of c by 0.1.
TEST_F(HonestPredictionsTest, BoundsOfWhatFewRowsSay) {
  constexpr std::size_t kMembers = 16;
  const FittedModel model = model_of(ModelKind::regressor, kMembers, {1e-6});
  const AllMembers all(model, given);
  const MemberFolds folds = folds_for(kMembers);
  for (const auto& [apart, ratio] : {std::pair(0.1, 1.0), std::pair(5.0, 2.0)}) {
    std::vector<network::Network::OutputMoments> left_out(kMembers);
    for (std::size_t m = 0; m < kMembers; ++m)
      for (const std::uint32_t row : folds.left_out_by(m)) {
        const double sign = m < 8 ? 1 : -1;
        // Right but for a trifle: all that is missed is less than what members differ by.
        left_out[m].mean.push_back(given.y[row] + 1e-3 +
                                   sign * apart * std::sqrt(all.between[row] / 2));
        left_out[m].variance.push_back(0.1);
      }
    const HonestPredictions honest = found(model, folds, left_out);
    for (std::size_t row = 0; row < 16; ++row)
      for (std::size_t m = 0; m < kMembers; ++m)
        EXPECT_NEAR(
            honest.of_members[m].mean[row],
            given.y[row] + std::sqrt(0.1) * 1e-3 + ratio * (all.of_members[m][row] - all.mean[row]),
            kClose);
  }
}

TEST_F(HonestPredictionsTest, MembersThatWereDroppedOrInterruptedSayNothing) {
  const MemberFolds folds = folds_for(16);
  const FittedModel model = model_of(ModelKind::regressor, 2, {0.5});
  // The third and the last of sixteen are left, and the last was interrupted.
  std::vector<network::Network::OutputMoments> left_out(2);
  const std::span<const std::uint32_t> own = folds.left_out_by(2);
  left_out[0] = {std::vector<double>(own.size(), 0.4), std::vector<double>(own.size(), 0.2)};
  const HonestPredictions honest = found(model, folds, left_out, {2, 15});
  EXPECT_EQ(honest.rows, std::vector<std::uint32_t>(own.begin(), own.end()));
  EXPECT_TRUE(
      found(model, folds, std::vector<network::Network::OutputMoments>(2), {2, 15}).rows.empty());
  EXPECT_TRUE(
      found(model, MemberFolds(), std::vector<network::Network::OutputMoments>(2)).rows.empty());
}

TEST_F(HonestPredictionsTest, ScoresOfClassesAreThoseOfTheMembersThatLeaveThemOut) {
  const FittedModel model = model_of(ModelKind::classifier, 8, {0.5});
  const AllMembers all(model, given);
  for (double& y : given.y) y = y > 0 ? 1 : 0;
  const MemberFolds folds(given.rows(), ModelKind::classifier, 8, 1);
  std::vector<network::Network::OutputMoments> left_out(8);
  for (std::size_t m = 0; m < 8; ++m)
    for (const std::uint32_t row : folds.left_out_by(m)) {
      left_out[m].mean.push_back(0.1 * row);
      left_out[m].variance.push_back(0.3);
    }
  const HonestPredictions honest = found(model, folds, left_out);
  ASSERT_EQ(honest.rows.size(), 16U);
  for (std::size_t row = 0; row < 16; ++row)
    for (std::size_t m = 0; m < 8; ++m)
      EXPECT_NEAR(honest.of_members[m].mean[row],
                  0.1 * static_cast<double>(row) + all.of_members[m][row] - all.mean[row], kClose);
}

// --- what the ensemble knows of itself -------------------------------------------------------------------

// Three members about the same centre: each row of a target that is learned as (y - 2)/3.
struct Judged {
  explicit Judged(std::size_t count, double missed_by = 1) {
    model.targets = TargetScales(Scales{{2}, {3}});
    honest.of_members.resize(3);
    RandomStream random(13, 0);
    for (std::size_t i = 0; i < count; ++i) {
      const double centre = random.normal();
      given.x.push_back(0);
      told.push_back(centre + missed_by * random.normal());
      given.y.push_back(2 + 3 * told.back());
      honest.rows.push_back(static_cast<std::uint32_t>(i));
      for (std::size_t m = 0; m < 3; ++m) {
        honest.of_members[m].mean.push_back(centre + 0.2 * (static_cast<double>(m) - 1));
        honest.of_members[m].variance.push_back(0.1 + 0.05 * static_cast<double>(m));
      }
    }
  }

  void judge(bool noise_stays) {
    Workers workers(1);
    Examples rows = given.rows();
    rows.sample_weights = weights;
    judge_ensemble(model, rows, told, honest, noise_stays, workers);
  }

  // The density of a row by all members, and the probability below it, with these scales.
  std::pair<double, double> density_and_below(std::size_t row, double noise,
                                              double epistemic) const {
    double centre = 0, density = 0, below = 0;
    for (const network::Network::OutputMoments& member : honest.of_members)
      centre += member.mean[row] / 3;
    for (const network::Network::OutputMoments& member : honest.of_members) {
      const double mean = centre + epistemic * (member.mean[row] - centre);
      const double variance = square_of(epistemic) * member.variance[row] + noise;
      const double z = (told[row] - mean) / std::sqrt(variance);
      density += std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi * variance) / 3;
      below += 0.5 * std::erfc(-z / std::numbers::sqrt2) / 3;
    }
    return {density, below};
  }
  double weight(std::size_t row) const { return weights.empty() ? 1 : weights[row]; }
  // What is largest at the scales that are taken: log-densities, and a prior of both logarithms.
  double objective(double factor, double epistemic) const {
    double out = -0.5 * square_of(std::log(factor) / 0.25) - 0.5 * square_of(std::log(epistemic));
    for (std::size_t row = 0; row < told.size(); ++row)
      if (!std::isnan(told[row]))
        out += weight(row) * std::log(density_and_below(row, kNoise * factor, epistemic).first);
    return out;
  }

  static constexpr double kNoise = 0.5;
  FittedModel model = model_of(ModelKind::regressor, 3, {kNoise});
  Given given;
  std::vector<double> told, weights;
  HonestPredictions honest;
};

void expect_score_by_hand(const Judged& judged) {
  const double noise = judged.model.members.front().noise_variance.front();
  const double epistemic = judged.model.epistemic_scale;
  double sum = 0, all = 0;
  std::vector<double> values, weights, scores;
  for (std::size_t row = 0; row < judged.told.size(); ++row) {
    if (std::isnan(judged.told[row])) continue;
    const auto [density, below] = judged.density_and_below(row, noise, epistemic);
    values.push_back(std::log(density / 3));  // the unit of the target is a third
    weights.push_back(judged.weight(row));
    scores.push_back(score_of(below));
    sum += weights.back() * values.back();
    all += weights.back();
  }
  double squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    squares += square_of(weights[i] * (values[i] - sum / all));
  ASSERT_TRUE(judged.model.out_of_fold.has_value());
  EXPECT_NEAR(judged.model.out_of_fold->log_likelihood,
              sum / all - kNumbersSet / static_cast<double>(values.size()), kClose);
  EXPECT_NEAR(judged.model.out_of_fold->standard_error, std::sqrt(squares) / all, kClose);
  EXPECT_EQ(judged.model.out_of_fold->rows, values.size());
  ASSERT_EQ(judged.model.left_out.size(), 1U);
  if (!judged.weights.empty()) return;
  std::ranges::sort(scores);
  const std::vector<double>& kept = judged.model.left_out.front().kept();
  ASSERT_EQ(kept.size(), scores.size());
  for (std::size_t i = 0; i < kept.size(); ++i) EXPECT_NEAR(kept[i], scores[i], 1e-6);
}

TEST(JudgeEnsemble, TheScoreIsThatOfTheMixtureInTheUnitOfTheTargets) {
  Judged judged(200);
  judged.judge(/*noise_stays=*/false);
  expect_score_by_hand(judged);
}

TEST(JudgeEnsemble, RowsCountByTheirWeightsAndMissingTargetsDoNot) {
  Judged judged(200);
  for (std::size_t i = 0; i < 200; ++i) judged.weights.push_back(i % 4 == 0 ? 3 : 0.5);
  judged.told[7] = judged.given.y[7] = kMissing;
  judged.judge(false);
  expect_score_by_hand(judged);
  EXPECT_EQ(judged.model.out_of_fold->rows, 199U);
}

// To a hundredth: fourteen golden sections leave less of either range.
constexpr double kFound = 0.01;

TEST(JudgeEnsemble, NoiseAndBeliefsAreScaledToWhatRowsShow) {
  for (const double missed_by : {0.5, 0.8, 1.2}) {
    Judged judged(400, missed_by);
    judged.judge(false);
    const double factor = judged.model.members.front().noise_variance.front() / Judged::kNoise;
    const double epistemic = judged.model.epistemic_scale;
    for (const Member& member : judged.model.members)
      EXPECT_EQ(member.noise_variance.front(), judged.model.members[0].noise_variance.front());
    EXPECT_GE(factor, 0.5);
    EXPECT_LE(factor, 2);
    EXPECT_GE(epistemic, 0.25);
    EXPECT_LE(epistemic, 1.25);
    // The noise is best where beliefs are what they are.
    for (const double other : {std::exp(-kFound) * factor, std::exp(kFound) * factor})
      if (other >= 0.5 && other <= 2) {
        EXPECT_GT(judged.objective(factor, epistemic), judged.objective(other, epistemic));
      }
    EXPECT_EQ(factor < 0.7, missed_by < 0.6);
    EXPECT_EQ(factor > 1.5, missed_by > 1);
  }
}

TEST(JudgeEnsemble, KnownNoiseStays) {
  for (const double missed_by : {0.5, 1.2}) {
    Judged judged(200, missed_by);
    judged.judge(/*noise_stays=*/true);
    for (const Member& member : judged.model.members)
      EXPECT_EQ(member.noise_variance, std::vector<double>{Judged::kNoise});
    const double epistemic = judged.model.epistemic_scale;
    for (const double other : {std::exp(-kFound) * epistemic, std::exp(kFound) * epistemic})
      if (other >= 0.25 && other <= 1.25) {
        EXPECT_GT(judged.objective(1, epistemic), judged.objective(1, other));
      }
    expect_score_by_hand(judged);
  }
}

TEST(JudgeEnsemble, NobodyKnowsAnythingWhereNoRowIsLeftOut) {
  Judged judged(10);
  judged.honest = {};
  judged.judge(false);
  EXPECT_FALSE(judged.model.out_of_fold.has_value());
  EXPECT_TRUE(judged.model.left_out.empty());
  EXPECT_EQ(judged.model.epistemic_scale, 1);
  EXPECT_EQ(judged.model.members.front().noise_variance.front(), Judged::kNoise);
}

TEST(JudgeEnsemble, ClassesHaveTheTemperatureThatRowsShow) {
  constexpr std::size_t kRows = 300;
  FittedModel model = model_of(ModelKind::classifier, 2, {0.4});
  model.members[1].noise_variance = {0.9};
  Given given;
  HonestPredictions honest;
  honest.of_members.resize(2);
  RandomStream random(17, 0);
  std::vector<std::size_t> labels;
  std::vector<double> weights;
  for (std::uint32_t i = 0; i < kRows; ++i) {
    const double score = random.normal();
    labels.push_back(score + random.normal() > 0 ? 1 : 0);
    weights.push_back(i % 3 == 0 ? 2 : 1);
    given.x.push_back(0);
    given.y.push_back(static_cast<double>(labels.back()));
    honest.rows.push_back(i);
    for (std::size_t m = 0; m < 2; ++m) {
      honest.of_members[m].mean.push_back(score + 0.1 * static_cast<double>(m));
      honest.of_members[m].variance.push_back(0.2);
    }
  }
  Examples rows = given.rows();
  rows.sample_weights = weights;
  Workers workers(1);
  judge_ensemble(model, rows, given.y, honest, false, workers);
  const std::vector<network::Trainer::NoisyScores> networks{{honest.of_members[0], 0.4},
                                                            {honest.of_members[1], 0.9}};
  EXPECT_NEAR(model.temperature, network::class_temperature(networks, 1, labels, 1, weights),
              kClose);
  double sum = 0, all = 0;
  std::vector<double> values;
  for (std::size_t k = 0; k < kRows; ++k) {
    double chosen = 0;
    for (const network::Trainer::NoisyScores& network : networks) {
      const double deviation = std::sqrt(model.temperature * (0.2 + network.noise_variance));
      const double sign = labels[k] == 1 ? 1 : -1;
      chosen += 0.25 * std::erfc(-sign * network.scores.mean[k] / deviation / std::numbers::sqrt2);
    }
    values.push_back(std::log(chosen));
    sum += weights[k] * values.back();
    all += weights[k];
  }
  double squares = 0;
  for (std::size_t k = 0; k < kRows; ++k)
    squares += square_of(weights[k] * (values[k] - sum / all));
  ASSERT_TRUE(model.out_of_fold.has_value());
  EXPECT_NEAR(model.out_of_fold->log_likelihood,
              sum / all - kNumbersSet / static_cast<double>(values.size()), kClose);
  EXPECT_NEAR(model.out_of_fold->standard_error, std::sqrt(squares) / all, kClose);
  EXPECT_EQ(model.out_of_fold->rows, kRows);
}

// --- from end to end -------------------------------------------------------------------------------------

// Targets that have nothing to do with the inputs. Networks that were judged by rows they had learned would be sure of
// what is noise: the intervals would be far too short.
TEST(OutOfFold, PureNoiseIsKnownToBeNoise) {
  constexpr std::size_t kColumns = 20, kLearned = 300, kNew = 1000;
  RandomStream random(19, 0);
  const auto draw = [&](std::size_t rows) {
    Given out;
    for (std::size_t i = 0; i < rows * kColumns; ++i) out.x.push_back(random.normal());
    for (std::size_t i = 0; i < rows; ++i) out.y.push_back(random.normal());
    return out;
  };
  const Given learned = draw(kLearned), later = draw(kNew);
  Regressor model;
  model.fit(learned.x, learned.y);
  const Distributions predicted = model.distributions(later.x);
  const std::vector<double> intervals = predicted.intervals(0.9);
  const std::vector<double> found = predicted.log_densities(later.y);
  double held = 0, score = 0;
  for (std::size_t i = 0; i < kNew; ++i) {
    held += intervals[2 * i] <= later.y[i] && later.y[i] <= intervals[2 * i + 1] ? 1.0 / kNew : 0;
    score += found[i] / kNew;
  }
  // Three standard deviations of 300 rows that set them and of the thousand.
  EXPECT_GT(held, 0.84);
  EXPECT_LT(held, 0.96);
  ASSERT_TRUE(model.out_of_fold_score().has_value());
  EXPECT_EQ(model.out_of_fold_score()->rows, kLearned);
  EXPECT_NEAR(model.out_of_fold_score()->log_likelihood, score, 0.1);
}

}  // namespace
}  // namespace postrider
