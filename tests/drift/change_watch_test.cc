#include "drift/change_watch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "base/random.h"
#include "postrider/error.h"

namespace postrider {
using namespace internal;
namespace {

constexpr double kRounding = 1e-9;

// The log density of a standard normal variable that is in truth `off` away from where it was expected.
std::vector<double> log_densities(std::size_t rows, double off, std::uint64_t stream) {
  RandomStream random(5, stream);
  std::vector<double> out;
  for (std::size_t row = 0; row < rows; ++row) {
    const double residual = off + random.normal();
    out.push_back(-0.5 * (std::log(2 * M_PI) + residual * residual));
  }
  return out;
}

// The definition in full: means over all rows known, by their weights, at every row anew.
struct Naive {
  std::vector<double> known;
  double sum = 0;
  std::size_t began = 0, row = 0;
  double lost = 0;

  static double weight(std::size_t n) {
    return 1 / std::min(static_cast<double>(n), ChangeWatch::kMemory);
  }
  // Row i of n keeps its weight but for what each later one takes.
  std::vector<double> weights() const {
    std::vector<double> out(known.size());
    double rest = 1;
    for (std::size_t i = known.size(); i-- > 0; rest *= 1 - weight(i + 1))
      out[i] = rest * weight(i + 1);
    return out;
  }
  std::optional<Change> observe(double value) {
    std::optional<Change> out;
    double learned = value;
    if (known.size() >= ChangeWatch::kFewest) {
      const std::vector<double> w = weights();
      double mean = 0, variance = 0;
      for (std::size_t i = 0; i < w.size(); ++i) mean += w[i] * known[i];
      for (std::size_t i = 0; i < w.size(); ++i)
        variance += w[i] * (known[i] - mean) * (known[i] - mean);
      if (sum == 0) {
        began = row;
        lost = 0;
      }
      lost += mean - value;
      const double most = ChangeWatch::kMostSurprise * std::sqrt(variance);
      learned = std::min(mean + most, std::max(mean - most, value));
      const double z = (mean - value) / std::sqrt(variance);
      sum += std::min(ChangeWatch::kMostSurprise, std::max(-ChangeWatch::kMostSurprise, z));
      sum = std::max(0.0, sum - ChangeWatch::kAllowance);
    }
    known.push_back(learned);
    if (sum > ChangeWatch::kAlarm) {
      out = Change{began, row, lost / static_cast<double>(row - began + 1)};
      known.clear();
      sum = 0;
    }
    ++row;
    return out;
  }
};

TEST(ChangeWatch, DoesWhatItsDefinitionSays) {
  std::vector<double> rows = log_densities(1500, 0, 1);
  const std::vector<double> after = log_densities(400, 2, 2);
  rows.insert(rows.end(), after.begin(), after.end());
  const std::vector<double> back = log_densities(300, 5, 3);
  rows.insert(rows.end(), back.begin(), back.end());
  ChangeWatch watch;
  Naive naive;
  std::size_t found = 0;
  for (const double row : rows) {
    const std::optional<Change> is = watch.observe(row), should = naive.observe(row);
    ASSERT_EQ(is.has_value(), should.has_value());
    if (!is) continue;
    ++found;
    EXPECT_EQ(is->began, should->began);
    EXPECT_EQ(is->found, should->found);
    EXPECT_NEAR(is->strength, should->strength, kRounding);
  }
  EXPECT_EQ(found, 2u);
}

TEST(ChangeWatch, FindsAJumpSoonAndTellsWhenItBegan) {
  double strength = 0;
  for (std::uint64_t stream = 10; stream < 30; ++stream) {
    ChangeWatch watch;
    for (const double row : log_densities(1000, 0, stream)) ASSERT_FALSE(watch.observe(row));
    std::optional<Change> found;
    std::size_t row = 0;
    for (const double each : log_densities(100, 3, stream + 100)) {
      ++row;
      if ((found = watch.observe(each))) break;
    }
    ASSERT_TRUE(found);
    EXPECT_LE(row, 20u);
    EXPECT_NEAR(static_cast<double>(found->began), 1000, 20);
    strength += found->strength / 20;
  }
  // A row's is 3^2/2 in expectation; some rows before the change may be taken for its beginning.
  EXPECT_NEAR(strength, 4.5, 1);
}

TEST(ChangeWatch, IsQuietWhereNothingChanges) {
  std::size_t alarms = 0;
  ChangeWatch watch;
  for (const double row : log_densities(200000, 0, 40)) alarms += watch.observe(row) ? 1 : 0;
  EXPECT_LE(alarms, 2u);
}

TEST(ChangeWatch, IsNotImpressedByOneRow) {
  ChangeWatch watch;
  for (const double row : log_densities(1000, 0, 50)) watch.observe(row);
  EXPECT_FALSE(watch.observe(-1e6));
}

// The same means, told as of one row or of five.
TEST(ChangeWatch, CountsTheRowsOfAMean) {
  std::vector<double> rows = log_densities(300, 0, 55);
  const std::vector<double> after = log_densities(100, 3, 56);
  rows.insert(rows.end(), after.begin(), after.end());
  ChangeWatch single, five;
  std::size_t found = 0;
  for (const double row : rows) {
    const std::optional<Change> of_one = single.observe(row), of_five = five.observe(row, 5);
    ASSERT_EQ(of_one.has_value(), of_five.has_value());
    if (!of_one) continue;
    ++found;
    EXPECT_EQ(of_five->began, 5 * of_one->began);
    EXPECT_EQ(of_five->found, 5 * of_one->found + 4);
    EXPECT_NEAR(of_five->strength, of_one->strength, kRounding);
  }
  EXPECT_EQ(found, 1u);
  EXPECT_EQ(five.rows(), 5 * rows.size());
}

// One row far off must not hide those after it.
TEST(ChangeWatch, FindsAChangeThatBeginsWithAShock) {
  ChangeWatch watch;
  for (const double row : log_densities(500, 0, 57)) ASSERT_FALSE(watch.observe(row));
  EXPECT_FALSE(watch.observe(-300));
  std::size_t rows = 0;
  for (const double each : log_densities(100, 2, 58)) {
    ++rows;
    if (watch.observe(each)) break;
  }
  EXPECT_LT(rows, 40u);
}

TEST(ChangeWatch, LeavesOutWhatIsNotFinite) {
  ChangeWatch watch;
  watch.observe(1);
  EXPECT_FALSE(watch.observe(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(watch.observe(-std::numeric_limits<double>::infinity()));
  EXPECT_EQ(watch.rows(), 1u);
  EXPECT_EQ(watch.expected(), 1);
}

TEST(ChangeWatch, GoesOnFromItsNumbers) {
  std::vector<double> rows = log_densities(700, 0, 60);
  const std::vector<double> after = log_densities(100, 2, 61);
  rows.insert(rows.end(), after.begin(), after.end());
  ChangeWatch whole, part;
  std::vector<std::size_t> of_whole, of_part;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (const auto found = whole.observe(rows[row])) of_whole.push_back(found->began);
    if (row % 7 == 0) part = ChangeWatch::of(part.numbers());
    if (const auto found = part.observe(rows[row])) of_part.push_back(found->began);
  }
  EXPECT_EQ(of_whole, of_part);
  EXPECT_EQ(of_whole.size(), 1u);
  EXPECT_EQ(whole.numbers(), part.numbers());
}

TEST(ChangeWatch, RefusesNumbersThatCannotBe) {
  const std::vector<double> fine = ChangeWatch().numbers();
  EXPECT_NO_THROW(ChangeWatch::of(fine));
  const auto broken = [&](std::size_t at, double value) {
    std::vector<double> out = fine;
    out[at] = value;
    return out;
  };
  for (const std::size_t count : {0u, 1u, 5u}) {
    EXPECT_THROW(ChangeWatch::of(broken(count, -1)), InvalidArgument);
    EXPECT_THROW(ChangeWatch::of(broken(count, 0.5)), InvalidArgument);
    EXPECT_THROW(ChangeWatch::of(broken(count, 1e16)), InvalidArgument);
  }
  EXPECT_THROW(ChangeWatch::of(broken(3, -1)), InvalidArgument);
  EXPECT_THROW(ChangeWatch::of(broken(4, -1)), InvalidArgument);
  EXPECT_THROW(ChangeWatch::of(broken(4, 17)), InvalidArgument);
  EXPECT_THROW(ChangeWatch::of(broken(2, std::nan(""))), InvalidArgument);
  EXPECT_THROW(ChangeWatch::of({}), InvalidArgument);
}

}  // namespace
}  // namespace postrider
