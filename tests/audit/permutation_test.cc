#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "complaint.h"
#include "postrider/network/audit.h"

namespace postrider::network {
namespace {

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
}

}  // namespace
}  // namespace postrider::network
