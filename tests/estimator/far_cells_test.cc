#include "estimator/far_cells.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "base/random.h"
#include "postrider/regressor.h"

namespace postrider {
using namespace internal;
namespace {

constexpr std::size_t kRows = 400;

// y = 3 a + b, noise of standard deviation 0.1.
struct Rows {
  std::vector<double> inputs, targets;

  explicit Rows(std::uint64_t seed) {
    RandomStream random(seed, 0);
    for (std::size_t row = 0; row < kRows; ++row) {
      const double a = random.normal(), b = random.uniform();
      inputs.insert(inputs.end(), {a, b});
      targets.push_back(3 * a + b + 0.1 * random.normal());
    }
  }
  Examples view() const { return {inputs, targets}; }
};

double error_after(const Rows& learned, std::vector<std::string>& told) {
  EstimatorOptions options;
  options.hidden = {8};
  options.ensemble_size = 1;
  options.encoding = Encoding::standard;
  options.training.max_epochs = 30;
  Regressor model(options);
  TrainingCallbacks callbacks;
  callbacks.input_names = {"a", "b"};
  callbacks.warning = [&](const std::string& text) { told.push_back(text); };
  model.fit(learned.inputs, learned.targets, {}, callbacks);
  const Rows fresh(2);
  const std::vector<double> means = model.predict(fresh.inputs).mean;
  double squares = 0;
  for (std::size_t row = 0; row < kRows; ++row)
    squares += std::pow(means[row] - fresh.targets[row], 2);
  return std::sqrt(squares / kRows);
}

// Predictions of the mean would have an error of about 3.
constexpr double kLearned = 0.6;

TEST(FarCells, OneInputDoesNotHideItsColumn) {
  Rows rows(1);
  std::vector<std::string> told;
  EXPECT_LT(error_after(rows, told), kLearned);
  EXPECT_TRUE(told.empty());
  rows.inputs[2 * 7] *= 1e12;
  EXPECT_LT(error_after(rows, told), kLearned);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].find("column \"a\": 1 of 400 numbers, such as "), 0U) << told[0];
  EXPECT_NE(told[0].find("it is learned as missing"), std::string::npos);
}

TEST(FarCells, OneTargetDoesNotHideTheOthers) {
  Rows rows(1);
  rows.targets[7] = -3e12;
  std::vector<std::string> told;
  EXPECT_LT(error_after(rows, told), kLearned);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].find("the target: 1 of 400 numbers, such as -3e+12, lies "), 0U) << told[0];
}

TEST(FarCells, TargetsMoveToTenDeviationsOfTheOthers) {
  Rows rows(1);
  rows.targets[7] = 5e12;
  const WithoutFarCells near(rows.view(), true, 1);
  double sum = 0, squares = 0;
  for (std::size_t row = 0; row < kRows; ++row)
    if (row != 7) sum += rows.targets[row];
  const double mean = sum / (kRows - 1);
  for (std::size_t row = 0; row < kRows; ++row)
    if (row != 7) squares += std::pow(rows.targets[row] - mean, 2);
  constexpr double kRounding = 1e-9;
  EXPECT_NEAR(near.rows().targets[7], mean + 10 * std::sqrt(squares / (kRows - 1)), kRounding);
  EXPECT_EQ(near.rows().targets[8], rows.targets[8]);
  const WithoutFarCells classes(rows.view(), false, 1);
  EXPECT_EQ(classes.rows().targets.data(), rows.targets.data());
}

TEST(FarCells, HeavyTailsAndManyFarNumbersStay) {
  std::vector<double> tails, log_normal, rare, mixed, constant(kRows, 5);
  RandomStream random(3, 0);
  for (std::size_t row = 0; row < 100'000; ++row) {
    tails.push_back(std::tan(std::numbers::pi * (random.uniform() - 0.5)));
    log_normal.push_back(std::exp(2.5 * random.normal()));
    rare.push_back(random.uniform() < 0.02 ? random.uniform() : 0);
    mixed.push_back(random.normal() * (row % 20 == 0 ? 1e12 : 1));
  }
  for (const auto* column : {&tails, &log_normal, &rare, &mixed, &constant})
    EXPECT_TRUE(far_places(*column, 0, 1).empty());
  // Among mostly zeros, and beside a constant.
  rare[5] = 1e12;
  EXPECT_EQ(far_places(rare, 0, 1), std::vector<std::size_t>{5});
  constant[0] = 6;
  EXPECT_TRUE(far_places(constant, 0, 1).empty());
}

TEST(FarCells, SparseRowsAreLookedAtAsOthersAre) {
  SparseInputs sparse{.columns = 2};
  std::vector<double> targets;
  RandomStream random(4, 0);
  for (std::size_t row = 0; row < kRows; ++row) {
    if (row % 3 == 0) sparse.add(0, 1);
    sparse.add(1, row == 9 ? -5e13 : random.normal());
    sparse.end_row();
    targets.push_back(random.normal());
  }
  const WithoutFarCells near({sparse, targets}, true, 1);
  std::size_t missing = 0;
  near.rows().inputs.for_each([&](std::size_t row, std::size_t column, double value) {
    if (!std::isnan(value)) return;
    EXPECT_EQ(row, 9U);
    EXPECT_EQ(column, 1U);
    ++missing;
  });
  EXPECT_EQ(missing, 1U);
  sparse.values[0] = 1e12;
  const WithoutFarCells mostly_zeros({sparse, targets}, true, 1);
  EXPECT_EQ(mostly_zeros.told({}).size(), 2U);
}

TEST(FarCells, NothingIsCopiedWhereNothingIsFar) {
  const Rows rows(1);
  const WithoutFarCells near(rows.view(), true, 1);
  EXPECT_EQ(near.rows().inputs.values().data(), rows.inputs.data());
  EXPECT_EQ(near.rows().targets.data(), rows.targets.data());
  EXPECT_TRUE(near.told({}).empty());
}

}  // namespace
}  // namespace postrider
