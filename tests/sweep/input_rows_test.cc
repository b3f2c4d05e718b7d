#include "sweep/input_rows.h"

#include <gtest/gtest.h>

namespace postrider::network {
using namespace internal;
namespace {

using Columns = std::vector<std::uint32_t>;

Columns columns_of(std::span<const std::uint32_t> columns) {
  return {columns.begin(), columns.end()};
}

TEST(StoredInputs, HoldWhatIsNotZero) {
  const std::vector<float> values{0, 2, 0, 3, 0, 0};
  const auto rows = StoredInputs<float>::of_dense(values, {}, 3);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(columns_of(rows.row(0).columns), Columns{1});
  EXPECT_EQ(rows.row(0).means[0], 2);
  EXPECT_EQ(columns_of(rows.row(1).columns), Columns{0});
  EXPECT_TRUE(rows.view().variances.empty());
}

TEST(StoredInputs, AZeroThatIsUncertainIsThere) {
  StoredInputs<double> rows;
  rows.add(0, 5, 0);
  rows.add(2, 0, 0.5);
  rows.add(3, 0, 0);
  rows.end_row();
  rows.add(1, 7, 0);
  rows.end_row();
  EXPECT_EQ(columns_of(rows.row(0).columns), (Columns{0, 2}));
  EXPECT_EQ(rows.row(0).variance(0), 0);
  EXPECT_EQ(rows.row(0).variance(1), 0.5);
  EXPECT_EQ(rows.row(1).variance(0), 0);
}

TEST(StoredInputs, RowsMayBeEmpty) {
  StoredInputs<double> rows;
  EXPECT_EQ(rows.size(), 0u);
  rows.end_row();
  EXPECT_EQ(rows.size(), 1u);
  EXPECT_TRUE(rows.row(0).columns.empty());
}

TEST(ActiveColumns, AreThoseOfAllRowsAndTheBias) {
  ActiveColumns active;
  active.begin(2);
  active.add(Columns{1, 4});
  active.add(Columns{0, 4, 6});
  active.add(Columns{});
  active.add_last(9);
  EXPECT_EQ(columns_of(active.columns()), (Columns{0, 1, 4, 6, 9}));
  EXPECT_EQ(active.examples(), 2u);
  active.begin(1);
  EXPECT_TRUE(active.columns().empty());
}

}  // namespace
}  // namespace postrider::network
