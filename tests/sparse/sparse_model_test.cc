#include <gtest/gtest.h>

#include <cmath>

#include "complaint.h"
#include "postrider/sparse/model.h"
#include "rows.h"

namespace postrider::sparse {
using namespace internal;
namespace {

using hashed::add_row;
using hashed::part_of;
using hashed::random_rows;

double log_loss(const SparseModel& model, const FeatureRows& rows) {
  double sum = 0;
  const std::vector<SparseModel::Prediction> found = model.predict(rows);
  for (std::size_t row = 0; row < rows.size(); ++row)
    sum -= std::log(rows.targets[row] > 0 ? found[row].probability : 1 - found[row].probability);
  return sum / static_cast<double>(rows.size());
}

// Against the log-loss of the true probabilities, of random_rows with its weights.
TEST(SparseModel, LearnsClasses) {
  const FeatureRows rows = random_rows(20'000, 1, SparseOptions::Target::logistic);
  const FeatureRows others = random_rows(5000, 2, SparseOptions::Target::logistic);
  for (const SparseOptions::Target target :
       {SparseOptions::Target::logistic, SparseOptions::Target::probit}) {
    SparseModel once({.target = target});
    const SparseModel::Report report = once.update(rows);
    EXPECT_EQ(report.rows, rows.size());
    SparseModel often({.target = target, .passes = 10});
    often.fit(rows);
    constexpr double kNothing = 0.69;
    EXPECT_LT(log_loss(once, others), 0.85 * kNothing);
    EXPECT_LT(log_loss(often, others), log_loss(once, others) + 0.002);
    // What was predicted before each row was learned is as honest as rows of their own.
    EXPECT_NEAR(report.log_loss / report.weight, log_loss(once, others), 0.02);
    EXPECT_NEAR(once.summary().log_loss, report.log_loss / report.weight, 1e-12);
  }
}

TEST(SparseModel, LearnsNumbersAndTheirNoise) {
  const FeatureRows rows = random_rows(5000, 1, SparseOptions::Target::number);
  const FeatureRows others = random_rows(2000, 2, SparseOptions::Target::number);
  for (const std::size_t passes : {1U, 5U}) {
    SparseModel model({.target = SparseOptions::Target::number, .passes = passes});
    if (passes == 1)
      model.update(rows);
    else
      model.fit(rows);
    double squares = 0, covered = 0;
    const std::vector<SparseModel::Prediction> found = model.predict(others);
    for (std::size_t row = 0; row < others.size(); ++row) {
      const double gap = others.targets[row] - found[row].mean;
      squares += gap * gap;
      covered += std::abs(gap) < 1.645 * found[row].total_std() ? 1 : 0;
    }
    const auto count = static_cast<double>(others.size());
    constexpr double kNoise = 1.5;  // 3 times 0.5
    EXPECT_NEAR(std::sqrt(squares / count), kNoise, 0.1);
    EXPECT_NEAR(found[0].noise, kNoise, 0.1);
    EXPECT_NEAR(covered / count, 0.9, 0.02);
    EXPECT_TRUE(std::isnan(found[0].probability));
  }
}

TEST(SparseModel, TargetsBeyondAllOthersLeaveNumbers) {
  for (const bool is_first : {true, false}) {
    SparseModel model({.target = SparseOptions::Target::number});
    FeatureRows rows, far;
    for (std::size_t k = 0; k < 200; ++k)
      hashed::add_row(rows, {{1 + k % 3, 1}}, static_cast<double>(k % 5));
    hashed::add_row(far, {{1, 1}}, 1e100);
    if (is_first) model.update(far);
    model.update(rows);
    model.update(far);
    model.update(rows);
    for (const SparseModel::Prediction& each : model.predict(rows)) {
      EXPECT_TRUE(std::isfinite(each.mean));
      EXPECT_TRUE(std::isfinite(each.total_std()));
    }
    EXPECT_TRUE(std::isfinite(model.summary().log_loss));
  }
}

TEST(SparseModel, IsTheSameHoweverRowsAreCut) {
  const FeatureRows rows = random_rows(500, 1, SparseOptions::Target::logistic);
  SparseModel whole, cut;
  whole.update(rows);
  for (std::size_t row = 0; row < rows.size(); row += row % 3 + 1)
    cut.update(part_of(rows, row, std::min(rows.size(), row + row % 3 + 1)));
  const std::vector<SparseModel::Prediction> a = whole.predict(rows), b = cut.predict(rows);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    EXPECT_EQ(a[row].probability, b[row].probability);
    EXPECT_EQ(a[row].std, b[row].std);
  }
}

// Where the weights change their signs, beliefs that drift follow; where they stay, drift costs little.
TEST(SparseModel, DriftFollowsAChange) {
  const FeatureRows before = random_rows(8000, 1, SparseOptions::Target::logistic);
  FeatureRows after = random_rows(8000, 2, SparseOptions::Target::logistic);
  SparseModel firm, drifting({.drift = true});
  const double firm_before = firm.update(before).log_loss / 8000;
  const double drifting_before = drifting.update(before).log_loss / 8000;
  EXPECT_NEAR(drifting_before, firm_before, 0.01);
  for (double& target : after.targets) target = -target;
  firm.update(part_of(after, 0, 4000));
  drifting.update(part_of(after, 0, 4000));
  const double firm_after = firm.update(part_of(after, 4000, 8000)).log_loss / 4000;
  const double drifting_after = drifting.update(part_of(after, 4000, 8000)).log_loss / 4000;
  EXPECT_LT(drifting_after, firm_after - 0.05);
  EXPECT_NEAR(drifting_after, drifting_before, 0.03);
  EXPECT_EQ(drifting.summary().drift_rates.size(), 8U);
}

TEST(SparseModel, DrawsHaveTheMomentsOfThePrediction) {
  for (const SparseOptions::Target target :
       {SparseOptions::Target::logistic, SparseOptions::Target::number}) {
    SparseModel model({.target = target});
    model.update(random_rows(200, 1, target));
    FeatureRows rows = random_rows(1, 2, target);
    const SparseModel::Prediction expected = model.predict(rows)[0];
    double sum = 0, squares = 0;
    constexpr std::size_t kDraws = 20'000;
    for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
      const double drawn = model.sample(rows, seed)[0];
      sum += drawn;
      squares += drawn * drawn;
    }
    const double mean = sum / kDraws, std = std::sqrt(squares / kDraws - mean * mean);
    constexpr double kDeviations = 4;
    EXPECT_NEAR(mean, expected.mean, kDeviations * expected.std / std::sqrt(kDraws));
    EXPECT_NEAR(std, expected.std, kDeviations * expected.std / std::sqrt(kDraws));
    EXPECT_EQ(model.sample(rows, 3), model.sample(rows, 3));
  }
}

TEST(SparseModel, DropsWhatSaysNothing) {
  SparseModel model;
  FeatureRows rows;
  for (int row = 0; row < 50; ++row) add_row(rows, {{1, 1}, {2, 1e-6F}}, row % 5 == 0 ? -1 : 1);
  model.update(rows);
  ASSERT_EQ(model.summary().weights, 2U);
  FeatureRows all;
  add_row(all, {{1, 1}, {2, 1e-6F}}, 1);
  const double before = model.predict(all)[0].probability;
  EXPECT_EQ(model.drop_idle(), 1U);
  EXPECT_TRUE(model.weight(feature_key(1)).touched);
  EXPECT_FALSE(model.weight(feature_key(2)).touched);
  EXPECT_EQ(model.weight(feature_key(2)).mean, 0);
  EXPECT_GT(model.weight(feature_key(2)).variance, 0);
  constexpr double kTold = 1e-6;
  EXPECT_NEAR(model.predict(all)[0].probability, before, kTold);
  EXPECT_EQ(model.summary().weights, 1U);
}

// With more weights than side-by-side models may have, the best goes on alone.
TEST(SparseModel, SettlesWhenWeightsAreMany) {
  SparseModel model;
  FeatureRows rows;
  constexpr std::size_t kWeights = (std::size_t{1} << 19) + 10;
  for (std::size_t i = 0; i < kWeights; i += 1000) {
    std::vector<hashed::Entry> entries;
    for (std::size_t k = i; k < std::min(kWeights, i + 1000); ++k) entries.push_back({k, 1});
    add_row(rows, entries, i % 2000 == 0 ? 1 : -1);
  }
  model.update(rows);
  EXPECT_EQ(model.summary().weights, kWeights);
  EXPECT_EQ(model.summary().shares.size(), 1U);
  EXPECT_LE(model.summary().bytes, 24 * kWeights);
  // Eight beliefs of each were there before.
  EXPECT_GE(model.summary().most_bytes, (8 + 64) * kWeights);
}

TEST(SparseModel, RefusesWhatItCannotUse) {
  SparseModel model;
  FeatureRows rows;
  add_row(rows, {{1, 1}}, 2);
  EXPECT_EQ(complaint([&] { model.update(rows); }),
            "target of row 0 = 2: must be 1 for one class, and 0 or -1 for the other");
  rows.targets[0] = 1;
  rows.values[0] = INFINITY;
  EXPECT_EQ(complaint([&] { model.update(rows); }),
            "value of row 0 = inf: must be within -1e9 and 1e9");
  EXPECT_EQ(complaint([&] { model.drop_idle(-1); }), "most_nats = -1: must be at least 0");
  EXPECT_EQ(complaint([] { SparseModel bad({.passes = 0}); }),
            "passes = 0: must be at least 1 and at most 10000");
  SparseOptions options;
  set_sparse_option(options, "target", std::string("probit"));
  EXPECT_EQ(options.target, SparseOptions::Target::probit);
  EXPECT_EQ(to_string(get_sparse_option(options, "passes")), "1");
}

}  // namespace
}  // namespace postrider::sparse
