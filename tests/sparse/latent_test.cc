#include "sparse/latent.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rows.h"

namespace postrider::internal::hashed {
namespace {

constexpr double kFloat = 1e-5;

const std::vector<std::uint64_t> kKeys{5, 6, 7};
const std::vector<float> kValues{1, 2, -0.5F};
const RowView kRow{kKeys, kValues};
const std::vector<std::uint32_t> kFields{1, 2, 1};  // pairs: (0, 1) and (1, 2)

struct Numbers {
  double mean[3][2], variance[3][2];
};

Numbers set_beliefs(Latent& latent) {
  Numbers out{{{0.5, -1}, {0.8, 0.3}, {-0.2, 0.6}}, {{0.1, 0.2}, {0.05, 0.3}, {0.4, 0.1}}};
  latent.touch(kRow, kFields);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 2; ++k) {
      float* const beliefs = latent.weights.find_or_add(kKeys[i], std::vector<float>{1, 1}).beliefs;
      beliefs[k] = static_cast<float>(out.mean[i][k]);
      beliefs[2 + k] = static_cast<float>(out.variance[i][k]);
    }
  return out;
}

// E and Var of x y for independent x and y: mean mean', v v' + v mean'^2 + v' mean^2, summed over pairs.
TEST(Latent, ScoreIsTheSumOfProducts) {
  Latent latent(2, 1);
  const Numbers of = set_beliefs(latent);
  double mean = 0, variance = 0;
  for (const std::size_t other : {0U, 2U})
    for (std::size_t k = 0; k < 2; ++k) {
      const double x = static_cast<double>(kValues[other]) * 2;
      const double m = of.mean[other][k], v = of.variance[other][k];
      const double n = of.mean[1][k], w = of.variance[1][k];
      mean += x * m * n;
      variance += x * x * (v * w + v * n * n + w * m * m);
    }
  const ScoreMoments found = latent.score(kRow, kFields);
  EXPECT_NEAR(found.mean, mean, kFloat);
  EXPECT_NEAR(found.variance, variance, kFloat);
  std::size_t guarded = 0;
  EXPECT_NEAR(latent.cavity_score({}, guarded).mean, mean, kFloat);
  // Without fields there are no pairs.
  EXPECT_EQ(latent.score(kRow, {}).mean, 0);
  EXPECT_EQ(latent.score(kRow, {}).variance, 0);
}

// Where the other vector is known, u has a Gaussian likelihood: with s = c u + rest, y = s + noise, its posterior is that of
// linear regression.
TEST(Latent, KnownFactorLeavesLinearRegression) {
  Latent latent(1, 1);
  const std::vector<std::uint64_t> keys{1, 2};
  const std::vector<float> values{1, 2};
  const std::vector<std::uint32_t> fields{1, 2};
  latent.touch({keys, values}, fields);
  const float known[] = {1.5F, 1e-12F}, open[] = {0.2F, 0.5F};
  std::copy_n(open, 2, latent.weights.find_or_add(1, std::vector<float>{1}).beliefs);
  std::copy_n(known, 2, latent.weights.find_or_add(2, std::vector<float>{1}).beliefs);
  std::vector<float> stored(4);
  std::size_t guarded = 0;
  const ScoreMoments score = latent.cavity_score(stored, guarded);
  constexpr double kTarget = 2, kNoise = 0.3, kSlope = 3;
  const double total = score.variance + kNoise;
  latent.renew((kTarget - score.mean) / total, 1 / total, score.variance, stored);
  const double precision = 1 / 0.5 + kSlope * kSlope / kNoise;
  const double mean = (0.2 / 0.5 + kSlope * kTarget / kNoise) / precision;
  const float* const learned = latent.weights.find(1);
  EXPECT_NEAR(static_cast<double>(learned[0]), mean, kFloat);
  EXPECT_NEAR(static_cast<double>(learned[1]), 1 / precision, kFloat);
  // The message comes out again.
  const ScoreMoments again = latent.cavity_score(stored, guarded);
  EXPECT_NEAR(again.mean, score.mean, 10 * kFloat);
  EXPECT_NEAR(again.variance, score.variance, 10 * kFloat);
}

TEST(Latent, FirstMeansAreAFunctionOfSeedAndKey) {
  Latent a(3, 1), b(3, 1), other(3, 2);
  a.touch(kRow, kFields);
  const std::vector<std::uint64_t> reversed{7, 6, 5};
  b.touch({reversed, kValues}, kFields);
  other.touch(kRow, kFields);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(a.weights.find(5)[k], b.weights.find(5)[k]);
    EXPECT_NE(a.weights.find(5)[k], other.weights.find(5)[k]);
    EXPECT_NE(a.weights.find(5)[k], a.weights.find(6)[k]);
    EXPECT_EQ(a.weights.find(5)[3 + k], Latent::kVariance);
  }
}

// A target that says nothing leaves all as it was.
TEST(Latent, SilenceChangesNothing) {
  Latent latent(2, 1);
  set_beliefs(latent);
  const ScoreMoments before = latent.score(kRow, kFields);
  std::size_t guarded = 0;
  latent.cavity_score({}, guarded);
  latent.renew(0, 0, before.variance, {});
  EXPECT_EQ(latent.score(kRow, kFields).mean, before.mean);
}

// Twenty users and thirty items whose scores are products of two vectors: only latent vectors can tell them.
TEST(Latent, ModelFindsProducts) {
  RandomStream random(8, 0);
  std::vector<double> users, items;
  for (int i = 0; i < 40; ++i) users.push_back(random.normal());
  for (int i = 0; i < 60; ++i) items.push_back(random.normal());
  const auto rows_of = [&](std::size_t count) {
    sparse::FeatureRows rows;
    for (std::size_t row = 0; row < count; ++row) {
      const std::size_t u = random.below(20), i = random.below(30);
      for (const auto& [field, name] :
           {std::pair("user", std::to_string(u)), std::pair("item", std::to_string(i))}) {
        rows.keys.push_back(sparse::feature_key(field, name));
        rows.fields.push_back(sparse::field_number(field));
        rows.values.push_back(1);
      }
      rows.ends.push_back(rows.keys.size());
      rows.targets.push_back(users[2 * u] * items[2 * i] + users[2 * u + 1] * items[2 * i + 1] +
                             0.3 * random.normal());
    }
    return rows;
  };
  const sparse::FeatureRows rows = rows_of(3000), others = rows_of(1000);
  const auto error = [&](std::size_t size) {
    sparse::SparseModel model(
        {.target = sparse::SparseOptions::Target::number, .passes = 30, .latent = size});
    model.fit(rows);
    double squares = 0;
    const std::vector<sparse::SparseModel::Prediction> found = model.predict(others);
    for (std::size_t row = 0; row < others.size(); ++row)
      squares += std::pow(found[row].mean - others.targets[row], 2);
    return std::sqrt(squares / static_cast<double>(others.size()));
  };
  EXPECT_GT(error(0), 0.8);
  EXPECT_LT(error(4), 0.36);
}

}  // namespace
}  // namespace postrider::internal::hashed
