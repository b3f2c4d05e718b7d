#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "complaint.h"
#include "postrider/network/audit.h"

namespace postrider::network {
namespace {

constexpr double kRounding = 1e-9;  // sums of some thousand squares
constexpr double kShuffled = 0.1;   // of the mean over 300 shuffles

// Rows (r, 2 r, 1): the score sees the first two columns only.
std::vector<double> rows() {
  std::vector<double> out;
  for (int r = 0; r < 30; ++r) out.insert(out.end(), {1.0 * r, 2.0 * r, 1.0});
  return out;
}

// Minus the mean square of what breaks the order of rows.
double score(std::span<const double> inputs) {
  double sum = 0;
  for (std::size_t r = 0; r < inputs.size() / 3; ++r)
    sum -= std::pow(inputs[3 * r] - static_cast<double>(r), 2);
  return sum / 30;
}

// E (i - j)^2 of two independent rows is twice the variance (30^2 - 1)/12, with the rows being equal
// now and then.
TEST(Permutation, LossOfTheColumnThatMatters) {
  PermutationLoss::Options options;
  options.repeats = 200;
  const auto found = permutation_importance(rows(), 3, {{0}, {1}, {2}, {0, 1}}, score, options);
  const double expected = 2 * (900.0 - 1) / 12;
  EXPECT_NEAR(found[0].mean, expected, 4 * found[0].standard_error);
  EXPECT_GT(found[0].standard_error, 0);
  EXPECT_LT(found[0].standard_error, 0.05 * expected);
  EXPECT_EQ(found[1].mean, 0);
  EXPECT_EQ(found[2].mean, 0);
  EXPECT_NEAR(found[3].mean, expected, 4 * found[3].standard_error);
}

TEST(Permutation, ColumnsOfAGroupStayTogetherAndEachIsPutBack) {
  permutation_importance(rows(), 3, {{0, 1}, {2}}, [](std::span<const double> inputs) {
    std::vector<double> first;
    for (std::size_t r = 0; r < inputs.size() / 3; ++r) {
      EXPECT_EQ(inputs[3 * r + 1], 2 * inputs[3 * r]);
      first.push_back(inputs[3 * r]);
    }
    std::sort(first.begin(), first.end());
    for (std::size_t r = 0; r < first.size(); ++r) EXPECT_EQ(first[r], static_cast<double>(r));
    return 0.0;
  });
}

// The score of each row, with a second kind of score that is ten times as large.
std::vector<double> scores_of_rows(std::span<const double> inputs) {
  std::vector<double> out;
  for (std::size_t r = 0; r < inputs.size() / 3; ++r) {
    const double score = -std::pow(inputs[3 * r] - static_cast<double>(r), 2);
    out.insert(out.end(), {score, 10 * score});
  }
  return out;
}

// The same shuffles as above, told row by row; only the standard error is another one.
TEST(Permutation, LossesOfRowsHaveTheErrorOfTheirMean) {
  PermutationLoss::Options options;
  options.repeats = 300;
  const auto together = permutation_importance(rows(), 3, {{0}, {1}}, score, options);
  const auto found = permutation_losses(rows(), 3, {{0}, {1}}, scores_of_rows, options);
  ASSERT_EQ(found.size(), 2u);
  ASSERT_EQ(found[0].size(), 2u);
  EXPECT_NEAR(found[0][0].mean, together[0].mean, kRounding * together[0].mean);
  EXPECT_NEAR(found[0][1].mean, 10 * together[0].mean, kRounding * 10 * together[0].mean);
  EXPECT_EQ(found[1][0].mean, 0);
  EXPECT_EQ(found[1][0].standard_error, 0);
  // Row r loses E (r - i)^2 over all i on average: the spread of that over rows, and not over shuffles.
  std::vector<double> expected;
  double mean = 0, squares = 0;
  for (int r = 0; r < 30; ++r) {
    double loss = 0;
    for (int i = 0; i < 30; ++i) loss += std::pow(r - i, 2) / 30;
    expected.push_back(loss);
    mean += loss / 30;
  }
  for (const double loss : expected) squares += std::pow(loss - mean, 2);
  EXPECT_NEAR(found[0][0].standard_error, std::sqrt(squares / 29 / 30),
              kShuffled * std::sqrt(squares / 29 / 30));
}

TEST(Permutation, RefusesWhatMakesNoSense) {
  const std::vector<double> inputs = rows();
  PermutationLoss::Options options;
  options.repeats = 1;
  EXPECT_EQ(complaint([&] { permutation_importance(inputs, 3, {{0}}, score, options); }),
            "repeats = 1: must be at least 2, for a standard error");
  EXPECT_EQ(complaint([&] { permutation_importance(inputs, 4, {{0}}, score); }),
            "columns = 4: must be at least 1 and divide the number of inputs");
  EXPECT_EQ(complaint([&] { permutation_importance(inputs, 3, {{3}}, score); }),
            "groups = 3: must be below the number of columns, 3");
  EXPECT_EQ(complaint([&] {
              permutation_losses(inputs, 3, {{0}},
                                 [](std::span<const double>) { return std::vector<double>(7); });
            }),
            "scores = 7: must be as many for each of the 30 rows");
}

}  // namespace
}  // namespace postrider::network
