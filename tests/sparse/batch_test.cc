#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "complaint.h"
#include "postrider/sparse/shards.h"
#include "rows.h"

namespace postrider::sparse {
using namespace internal;
namespace {

using hashed::add_row;
using hashed::part_of;
using hashed::random_rows;

constexpr double kFloat = 1e-4;

TEST(SparseBatch, KeysOnceAndAscending) {
  FeatureRows rows;
  add_row(rows, {{3, 1}, {1, 2}}, 1);
  add_row(rows, {{3, 1}, {2, 2}, {3, 1}}, 0);
  const SparseBatch batch({}, {}, rows);
  std::vector<std::uint64_t> expected{feature_key(1), feature_key(2), feature_key(3)};
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(batch.keys(), expected);
}

// One owner and one batch after the other are the model in one place, but for what is rounded.
TEST(SparseBatch, OneWorkerLearnsWhatOneModelDoes) {
  for (const SparseOptions::Target target :
       {SparseOptions::Target::logistic, SparseOptions::Target::probit,
        SparseOptions::Target::number}) {
    const SparseOptions options{.target = target};
    FeatureRows rows = random_rows(900, 3, target);
    // With inputs of size 1 the prior is the same from the first row on.
    for (float& value : rows.values) value = 1;
    const SparseBatch::Units units = sparse_units(rows, target);
    SparseOwner owner(options, units);
    SparseModel model(options);
    model.update(rows);
    const auto learn = [&](const FeatureRows& some) {
      const SparseBatch batch(options, units, some);
      const SparseBatch::Changes changes = batch.learn(owner.beliefs(batch.keys()), owner.shared());
      owner.add(batch.keys(), changes.weights);
      owner.add_shared(changes.shared, owner.size());
      return changes.report;
    };
    double loss = 0;
    for (std::size_t row = 0; row < rows.size(); row += 100)
      loss += learn(part_of(rows, row, row + 100)).log_loss;
    EXPECT_NEAR(loss / 900, model.summary().log_loss, kFloat);
    const SparseBatch asked(options, units, rows);
    const auto expected = model.predict(rows),
               found = asked.predict(owner.beliefs(asked.keys()), owner.shared());
    for (std::size_t row = 0; row < rows.size(); ++row) {
      EXPECT_NEAR(found[row].mean, expected[row].mean, kFloat * (1 + std::abs(expected[row].mean)));
      EXPECT_NEAR(found[row].std, expected[row].std, kFloat * expected[row].std);
      if (target == SparseOptions::Target::number) {
        EXPECT_NEAR(found[row].noise, expected[row].noise, kFloat * expected[row].noise);
      }
    }
  }
}

// One row: the messages by the formula. With g1, g2 of log Z for a probit, rho = x^2 g2/(1 - v x^2 g2).
TEST(SparseBatch, ChangesAreTheMessages) {
  const SparseOptions options{.target = SparseOptions::Target::probit};
  SparseOwner owner(options, {});
  FeatureRows rows;
  add_row(rows, {{1, 1}, {2, -2}}, 1);
  const SparseBatch batch(options, {}, rows);
  const SparseBatch::Changes changes = batch.learn(owner.beliefs(batch.keys()), owner.shared());
  owner.add(batch.keys(), changes.weights);
  const std::vector<float> after = owner.beliefs(std::vector{feature_key(2)});
  for (std::size_t k = 0; k < 8; ++k) {
    const double prior = 0.01 * std::pow(10, 0.5 * static_cast<double>(k));
    const double variance = 1 + 10 + 5 * prior;  // of the noise, the bias and the weights
    const double g1 = std::sqrt(2 / std::acos(-1.0) / variance);  // N(0)/Phi(0)/s
    const double g2 = g1 * g1;
    EXPECT_NEAR(static_cast<double>(after[k]), prior * -2 * g1, kFloat * prior);
    EXPECT_NEAR(static_cast<double>(after[8 + k]), prior - prior * prior * 4 * g2, kFloat * prior);
  }
  EXPECT_EQ(changes.report.rows, 1U);
  EXPECT_NEAR(changes.report.log_loss, std::log(2), kFloat);
}

TEST(SparseUnits, OfTheRows) {
  FeatureRows rows;
  add_row(rows, {{1, 1}, {2, -3}}, 10);
  add_row(rows, {{1, 1}}, 14);
  const SparseBatch::Units found = sparse_units(rows, SparseOptions::Target::number);
  EXPECT_DOUBLE_EQ(found.input_square, 11.0 / 3);
  EXPECT_DOUBLE_EQ(found.location, 12);
  EXPECT_DOUBLE_EQ(found.unit, 2);
  EXPECT_EQ(sparse_units({}, SparseOptions::Target::logistic).input_square, 1);
}

TEST(SparseBatch, OwnersShareTheKeysEvenly) {
  std::vector<int> counts(5);
  for (std::uint64_t index = 0; index < 10'000; ++index) ++counts[owner_of(feature_key(index), 5)];
  for (const int count : counts) EXPECT_NEAR(count, 2000, 200);
}

TEST(SparseBatch, TellsMistakes) {
  FeatureRows rows;
  add_row(rows, {{1, 1}}, 3);
  EXPECT_EQ(complaint([&] { SparseBatch({}, {}, rows); }),
            "target of row 0 = 3: must be 1 for one class, and 0 or -1 for the other");
  rows.targets[0] = 1;
  const SparseOwner owner({}, {});
  const SparseBatch batch({}, {}, rows);
  EXPECT_EQ(complaint([&] { batch.learn({}, owner.shared()); }),
            "beliefs = 0: must be a mean and a variance for each key and model, 16");
  EXPECT_EQ(complaint([&] { batch.learn(std::vector<float>(16), owner.shared()); }),
            "beliefs = 0: must be finite means and variances above 0");
  EXPECT_EQ(complaint([&] {
              batch.learn(std::vector<float>(16, 1.0F), {1, 2});
            }),
            "shared: must be the sums of an owner of such a model");
}

}  // namespace
}  // namespace postrider::sparse
