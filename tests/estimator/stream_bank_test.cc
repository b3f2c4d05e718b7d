#include "estimator/stream_bank.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <vector>

#include "base/random.h"
#include "postrider/classifier.h"
#include "postrider/error.h"
#include "postrider/regressor.h"

namespace postrider {
using namespace internal;
namespace {

constexpr double kRounding = 1e-12;
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

std::vector<Member> members_of(std::size_t count) {
  return untrained_members(
      count, {{3}, network::Activation::leaky_relu, 0.05, network::Precision::float32, 1, 0}, 1, 1);
}

// Members' log densities of some rows.
std::vector<StreamOutcome> outcomes_of(const std::vector<std::vector<double>>& by_member) {
  std::vector<StreamOutcome> out;
  for (const std::vector<double>& rows : by_member) {
    StreamOutcome outcome;
    for (const double row : rows) outcome.scores.add({row, std::isnan(row) ? 0u : 1u, {}}, 1, {});
    out.push_back(outcome);
  }
  return out;
}

const std::vector<StreamKind> kDrifting = stream_kinds(true, false);

TEST(StreamBank, TheFirstKindDoesNotDrift) {
  EXPECT_EQ(kDrifting.size(), 8u);
  EXPECT_EQ(kDrifting.front(), StreamKind{});
  EXPECT_EQ(stream_kinds(false, false), std::vector<StreamKind>{StreamKind{}});
}

TEST(StreamBank, WindowsComeFirst) {
  const std::vector<StreamKind> kinds = stream_kinds(true, true);
  ASSERT_EQ(kinds.size(), 10u);
  EXPECT_EQ(kinds[0], (StreamKind{{}, true}));
  EXPECT_TRUE(kinds[1].has_window);
  EXPECT_EQ(kinds[1].rate.walk, 0) << "what walks cannot be refreshed";
  EXPECT_EQ(std::vector(kinds.begin() + 2, kinds.end()), kDrifting);
  EXPECT_EQ(stream_kinds(false, true), (std::vector{StreamKind{{}, true}}));
  EstimatorOptions options;
  EXPECT_EQ(kinds_of_members(options), kDrifting);
  options.training.stream_memory = 1000;
  EXPECT_EQ(kinds_of_members(options), kinds);
}

TEST(StreamBank, HasNoMoreKindsThanMembers) {
  EXPECT_EQ(StreamBank(3, kDrifting).kinds().size(), 3u);
  EXPECT_EQ(StreamBank(16, kDrifting).kinds().size(), 8u);
}

// Ten members of eight rates: the first two rates have two each, whose densities are averaged.
TEST(StreamBank, AveragesTheMembersOfARate) {
  RandomStream random(1, 0);
  std::vector<std::vector<double>> rows(10, std::vector<double>(4));
  for (auto& of_member : rows)
    for (double& each : of_member) each = random.uniform(-3, 0);
  StreamBank bank(10, kDrifting);
  RateBank expected(8);
  double score = 0;
  for (std::size_t row = 0; row < 4; ++row) {
    std::vector<double> of_rates;
    for (std::size_t k = 0; k < 8; ++k)
      of_rates.push_back(k < 2
                             ? std::log(0.5 * (std::exp(rows[k][row]) + std::exp(rows[k + 8][row])))
                             : rows[k][row]);
    score += expected.observe(of_rates) / 4;
  }
  StreamReport report;
  bank.observe(outcomes_of(rows), {}, 1, report);
  EXPECT_NEAR(report.score, score, kRounding);
  ASSERT_EQ(report.rates.size(), 8u);
  std::vector<Member> members = members_of(10);
  bank.share_out(members);
  double all = 0;
  for (std::size_t m = 0; m < 10; ++m) {
    const double weight = expected.weights()[m % 8];
    EXPECT_NEAR(report.rates[m % 8].weight, weight, kRounding);
    EXPECT_NEAR(members[m].share, m % 8 < 2 ? weight / 2 : weight, kRounding);
    all += members[m].share;
  }
  EXPECT_NEAR(all, 1, kRounding);
}

TEST(StreamBank, WeightsAndTheHorizonArePowers) {
  const std::vector<std::vector<double>> rows{{-1, -2}, {-3, -0.5}};
  const std::vector<double> weights{2, 0.5};
  RateBank expected(2);
  double sum = 0;
  for (std::size_t row = 0; row < 2; ++row)
    sum +=
        weights[row] * expected.observe(std::vector{rows[0][row], rows[1][row]}, weights[row] / 4);
  std::vector<StreamOutcome> outcomes = outcomes_of(rows);
  for (StreamOutcome& outcome : outcomes) outcome.scores.count = 2.5;
  StreamBank bank(2, kDrifting);
  StreamReport report;
  bank.observe(outcomes, weights, 4, report);
  EXPECT_NEAR(report.score, sum / 2.5, kRounding);
  EXPECT_NEAR(bank.bank().weights()[0], expected.weights()[0], kRounding);
}

TEST(StreamBank, RowsWithoutATargetSayNothing) {
  StreamBank bank(2, kDrifting);
  StreamReport report;
  bank.observe(outcomes_of({{kMissing}, {kMissing}}), {}, 1, report);
  EXPECT_EQ(report.score, 0);
  EXPECT_EQ(bank.bank().weights(), (std::vector{0.5, 0.5}));
  EXPECT_EQ(bank.watch().rows(), 0u);
}

// Rows that were predicted together are one observation of the watch, at a call's end fewer.
TEST(StreamBank, WatchesWhatWasPredictedTogether) {
  RandomStream random(2, 0);
  StreamBank bank(1, kDrifting);
  ChangeWatch expected;
  std::vector<StreamReport::Change> found, should;
  for (int call = 0; call < 300; ++call) {
    std::vector<double> rows(5);
    for (double& each : rows) each = random.normal() - (call >= 250 ? 8 : 0);
    StreamReport report;
    bank.observe(outcomes_of({rows}), {}, 3, report);
    found.insert(found.end(), report.changes.begin(), report.changes.end());
    for (const auto& change : {expected.observe((rows[0] + rows[1] + rows[2]) / 3, 3),
                               expected.observe((rows[3] + rows[4]) / 2, 2)})
      if (change) should.push_back({change->began, change->found, change->strength});
  }
  ASSERT_EQ(found.size(), 1u);
  ASSERT_EQ(should.size(), 1u);
  EXPECT_EQ(found[0].began, should[0].began);
  EXPECT_EQ(found[0].found, should[0].found);
  EXPECT_NEAR(found[0].strength, should[0].strength, kRounding);
  EXPECT_EQ(bank.watch().rows(), 1500u);
}

TEST(StreamBank, RefusesMoreRatesThanThereAre) {
  const std::vector<double> many(20, 0.05);
  EXPECT_THROW(StreamBank(many, ChangeWatch().numbers(), kDrifting), InvalidArgument);
  EXPECT_THROW(StreamBank(std::vector{1.0}, {}, kDrifting), InvalidArgument);
}

// --- in estimators -------------------------------------------------------------------------------

struct Walking {
  std::vector<double> x, y;
};

// A level that walks: what was learned long ago is wrong.
Walking walking_level(std::size_t rows) {
  RandomStream random(9, 0);
  Walking out;
  double level = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    level += 0.1 * random.normal();
    out.x.push_back(random.uniform(-1, 1));
    out.y.push_back(std::sin(3 * out.x.back()) + level + 0.1 * random.normal());
  }
  return out;
}

double score_of(const Walking& rows, bool drift) {
  Regressor model({.drift = drift});
  return model.partial_fit(rows.x, rows.y).score;
}

TEST(StreamBank, FollowsALevelThatWalks) {
  const Walking rows = walking_level(1500);
  constexpr double kNats = 0.03;
  EXPECT_GT(score_of(rows, true), score_of(rows, false) + kNats);
}

TEST(StreamBank, PredictionsAreWeightedByTheRates) {
  const Walking rows = walking_level(600);
  Regressor model({.varying_noise = false});
  const StreamReport report = model.partial_fit(rows.x, rows.y);
  ASSERT_EQ(model.ensemble_size(), 16u);
  ASSERT_EQ(report.rates.size(), 8u);
  // The next row's score is that of the prediction before it.
  const std::vector<double> x{0.3}, y{rows.y.back()};
  // Scores are of standardised targets.
  const double expected = model.log_likelihood(x, y) + std::log(model.target_scales()[0].std);
  constexpr double kFloat = 1e-4;
  EXPECT_NEAR(model.partial_fit(x, y).score, expected, kFloat);
}

TEST(StreamBank, AFileGoesOnToTheSameBits) {
  const Walking rows = walking_level(400);
  const std::span<const double> x(rows.x), y(rows.y);
  for (const std::size_t horizon : {1u, 10u}) {
    EstimatorOptions options;
    options.training.horizon = horizon;
    Regressor whole(options);
    whole.partial_fit(x.first(250), y.first(250));
    std::stringstream file;
    whole.save(file);
    Regressor resumed = Regressor::load(file);
    EXPECT_EQ(resumed.predict(x.first(5)).mean, whole.predict(x.first(5)).mean);
    const StreamReport a = whole.partial_fit(x.subspan(250), y.subspan(250));
    const StreamReport b = resumed.partial_fit(x.subspan(250), y.subspan(250));
    EXPECT_EQ(a.score, b.score);
    EXPECT_EQ(whole.predict(x).mean, resumed.predict(x).mean);
    EXPECT_EQ(whole.predict(x).variance, resumed.predict(x).variance);
    for (std::size_t k = 0; k < a.rates.size(); ++k)
      EXPECT_EQ(a.rates[k].weight, b.rates[k].weight);
    std::stringstream again, once_more;
    whole.save(again);
    resumed.save(once_more);
    EXPECT_EQ(again.str(), once_more.str());
  }
}

// A row that is learned once tells less than one that is refreshed.
TEST(StreamBank, AWindowLearnsMore) {
  RandomStream random(4, 0);
  std::vector<double> x, y;
  for (int row = 0; row < 1200; ++row) {
    x.push_back(random.uniform(-2, 2));
    y.push_back(std::sin(3 * x.back()) + 0.1 * random.normal());
  }
  EstimatorOptions options{.drift = false};
  Regressor once(options);
  options.training.stream_memory = std::size_t{1} << 25;
  Regressor refreshed(options);
  EXPECT_GT(refreshed.partial_fit(x, y).score, once.partial_fit(x, y).score + 0.05);
  EXPECT_EQ(refreshed.ensemble_size(), 1u);
  options.drift = true;
  Regressor all(options);
  const StreamReport report = all.partial_fit(x, y);
  EXPECT_EQ(all.ensemble_size(), 10u);
  ASSERT_EQ(report.rates.size(), 10u);
  EXPECT_TRUE(report.rates[0].has_window);
  EXPECT_FALSE(report.rates[2].has_window);
  std::stringstream file;
  all.save(file);
  EXPECT_EQ(Regressor::load(file).predict(x).mean, all.predict(x).mean);
}

TEST(StreamBank, OneNetworkDoesNotDrift) {
  const Walking rows = walking_level(200);
  Regressor one({.ensemble_size = 1}), still({.ensemble_size = 1, .drift = false});
  EXPECT_EQ(one.partial_fit(rows.x, rows.y).score, still.partial_fit(rows.x, rows.y).score);
  EXPECT_EQ(one.predict(rows.x).mean, still.predict(rows.x).mean);
}

// Rows that were all predicted together tell the weights as much as one row does.
TEST(StreamBank, RowsPredictedTogetherHardlyMoveTheWeights) {
  const Walking rows = walking_level(400);
  const auto least_weight = [&](std::size_t horizon) {
    EstimatorOptions options;
    options.training.horizon = horizon;
    const StreamReport report = Regressor(options).partial_fit(rows.x, rows.y);
    double out = 1;
    for (const StreamReport::Rate& rate : report.rates) out = std::min(out, rate.weight);
    return out;
  };
  EXPECT_LT(least_weight(1), 0.01);
  EXPECT_GT(least_weight(400), 0.05);
}

TEST(StreamBank, OfClassesTheSame) {
  const Walking rows = walking_level(500);
  std::vector<std::size_t> labels;
  for (const double y : rows.y) labels.push_back(y > 0 ? 1 : 0);
  Classifier model;
  model.partial_fit(rows.x, labels);
  const std::vector<double> x{0.1};
  const double p = model.predict_probabilities(x)[1];
  constexpr double kFloat = 1e-4;
  EXPECT_NEAR(model.partial_fit(x, std::vector<std::size_t>{1}).score, std::log(p), kFloat);
}

}  // namespace
}  // namespace postrider
