#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "monitor/profiled.h"
#include "postrider/monitor.h"

namespace postrider {
namespace {

constexpr double kRounding = 2e-3;  // positions are kept in thousandths

// The distance as the header states it, of two rows of tables.
double distance(const TableProfile& profile, const Table& a, std::size_t i, const Table& b,
                std::size_t j) {
  double sum = 0;
  std::size_t k = 0;
  for (const std::size_t c : {kSize, kTown, kDay}) {
    const TableProfile::Column& column = profile.columns[k++];
    if (c == kTown) {
      const std::uint32_t one = a.column(c).codes[i], other = b.column(c).codes[j];
      if (one != other) sum += one == Table::Column::kUnknown ? 1 : 0.5;
      continue;
    }
    const double one = a.column(c).numbers[i], other = b.column(c).numbers[j];
    if (std::isnan(one) && std::isnan(other)) continue;
    const double apart = position_of(column, one) - position_of(column, other);
    const double from_middle = position_of(column, one) - 0.5;
    if (std::isnan(one))
      sum += 1.0 / 6;
    else
      sum += std::isnan(other) ? from_middle * from_middle + 1.0 / 12 : apart * apart;
  }
  return std::sqrt(sum);
}

TEST(FarRowWatch, DistancesToTheNearestRow) {
  const Table learned = drawn_table(300, 1), fresh = changed_table(60, 2, [](auto&columns) {
                                               columns[kTown].codes[7] = Table::Column::kUnknown;
                                               columns[kDay].numbers[8] *= 3;
                                             });
  const TableProfile profile = profile_of(learned);
  const FarRowWatch far(profile);
  ASSERT_TRUE(far.is_able());
  const std::vector<double> found = far.distances(fresh);
  for (std::size_t row = 0; row < fresh.rows(); ++row) {
    double nearest = 1e9;
    for (std::size_t other = 0; other < learned.rows(); ++other)
      nearest = std::min(nearest, distance(profile, fresh, row, learned, other));
    EXPECT_NEAR(found[row], nearest, kRounding);
  }
}

TEST(FarRowWatch, TheLimitIsThatOfTheRowsThemselves) {
  const Table learned = drawn_table(101, 1);
  const TableProfile profile = profile_of(learned);
  std::vector<double> nearest;
  for (std::size_t row = 0; row < 101; ++row) {
    nearest.push_back(1e9);
    for (std::size_t other = 0; other < 101; ++other)
      if (other != row)
        nearest.back() = std::min(nearest.back(), distance(profile, learned, row, learned, other));
  }
  std::sort(nearest.begin(), nearest.end());
  EXPECT_NEAR(FarRowWatch(profile).limit(), std::max(0.25, 1.5 * nearest[99]), kRounding);
}

TEST(FarRowWatch, RowsInAnotherUnitAreFarAndOthersAreNot) {
  const FarRowWatch far(profile_of(drawn_table(2000, 1)));
  const Table fresh = changed_table(400, 2, [](auto& columns) {
    for (std::size_t row = 0; row < 200; ++row) columns[kDay].numbers[row] = -1e9;
  });
  const std::vector<bool> found = far.are_far(fresh);
  std::size_t wrong = 0;
  for (std::size_t row = 0; row < 400; ++row) wrong += found[row] != (row < 200) ? 1 : 0;
  EXPECT_LE(wrong, 4u);  // one in a hundred
}

// Rows without a cell must not stand for rows with every value there may be.
TEST(FarRowWatch, ColumnsWithMissingCellsAreSeen) {
  const auto without_some = [](auto& columns) {
    for (std::size_t row = 0; row < columns[kSize].numbers.size(); row += 3) {
      columns[kSize].numbers[row] = std::nan("");
      columns[kTown].codes[row] = Table::Column::kMissing;
    }
  };
  const FarRowWatch far(profile_of(changed_table(2000, 1, without_some)));
  const Table fresh = changed_table(300, 2, [](auto& columns) {
    for (std::size_t row = 0; row < 100; ++row) columns[kSize].numbers[row] = 1e6;
    for (std::size_t row = 100; row < 200; ++row)
      columns[kTown].codes[row] = Table::Column::kUnknown;
  });
  const std::vector<bool> found = far.are_far(fresh);
  std::size_t wrong = 0;
  for (std::size_t row = 0; row < 300; ++row) wrong += found[row] != (row < 200) ? 1 : 0;
  EXPECT_LE(wrong, 3u);  // one in a hundred
}

TEST(FarRowWatch, WithTooFewRowsNothingIsSaid) {
  const FarRowWatch far(profile_of(drawn_table(10, 1)));
  EXPECT_FALSE(far.is_able());
  EXPECT_EQ(far.are_far(drawn_table(3, 2)), std::vector<bool>(3));
  EXPECT_TRUE(far.distances(drawn_table(3, 2)).empty());
}

}  // namespace
}  // namespace postrider
