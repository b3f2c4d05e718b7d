#include "encode/column_code.h"

#include <gtest/gtest.h>

#include <map>

#include "complaint.h"

namespace postrider {
using namespace internal;
namespace {

std::map<std::size_t, double> inputs_of(const ColumnEncoding& column, double x) {
  std::map<std::size_t, double> out;
  encode_number(column, x, [&](std::size_t k, double value) { out[k] = value; });
  return out;
}

TEST(ColumnCode, Standard) {
  const ColumnEncoding column{Encoding::standard, 10, 2};
  EXPECT_EQ(column.inputs(), 1u);
  EXPECT_EQ(inputs_of(column, 13), (std::map<std::size_t, double>{{0, 1.5}}));
}

TEST(ColumnCode, PiecewiseInputsAreOneAtTheirKnots) {
  const ColumnEncoding column{Encoding::piecewise, 0, 1, {0, 2, 6}};
  EXPECT_EQ(column.inputs(), 3u);
  EXPECT_EQ(inputs_of(column, 1), (std::map<std::size_t, double>{{0, 0.5}, {1, 0.5}}));
  EXPECT_EQ(inputs_of(column, 3), (std::map<std::size_t, double>{{1, 0.75}, {2, 0.25}}));
  EXPECT_EQ(inputs_of(column, 2), (std::map<std::size_t, double>{{1, 1}, {2, 0}}));
  // Beyond the knots the last line goes on.
  EXPECT_EQ(inputs_of(column, 8), (std::map<std::size_t, double>{{1, -0.5}, {2, 1.5}}));
  EXPECT_EQ(inputs_of(column, -1), (std::map<std::size_t, double>{{0, 1.5}, {1, -0.5}}));
}

// The middle one of five numbers has the rank 1/2, and the normal number 0.
TEST(ColumnCode, RanksBecomeNormalNumbers) {
  const ColumnEncoding column{Encoding::quantile, 0, 10, {}, {1, 2, 5, 6, 100}};
  EXPECT_NEAR(normal_rank(column, 5), 0, 1e-12);
  EXPECT_NEAR(normal_rank(column, 1), -1.2815515655446004, 1e-12);  // a tenth lies below
  EXPECT_NEAR(normal_rank(column, 100), 1.2815515655446004, 1e-12);
  // Half way between the first two: a rank of 1/8, of which a fifth is kept free on either side.
  EXPECT_NEAR(normal_rank(column, 1.5), -0.8416212335729143, 1e-12);
  EXPECT_NEAR(normal_rank(column, 120), 1.2815515655446004 + 2, 1e-12);
  EXPECT_NEAR(normal_rank(column, -9), -1.2815515655446004 - 1, 1e-12);
}

TEST(ColumnCode, NumbersThatComeOftenHaveTheMiddleOfTheirRanks) {
  const ColumnEncoding column{Encoding::quantile, 0, 1, {}, {0, 0, 0, 1, 2}};
  EXPECT_NEAR(normal_rank(column, 0), -0.5244005127080407, 1e-12);  // 0.1 + 0.8 / 4
}

TEST(ColumnCode, BinsAndTheRank) {
  const ColumnEncoding column{Encoding::bins, 0, 1, {1.5, 5.5}, {1, 2, 5, 6, 100}};
  EXPECT_EQ(column.inputs(), 4u);
  const auto found = inputs_of(column, 5);
  EXPECT_EQ(found.size(), 2u);
  EXPECT_EQ(found.at(1), 1);
  EXPECT_NEAR(found.at(3), 0, 1e-12);
  EXPECT_EQ(inputs_of(column, 1.5).count(0), 1u);
  EXPECT_EQ(inputs_of(column, 1.6).count(1), 1u);
  EXPECT_EQ(inputs_of(column, 1e9).count(2), 1u);
}

TEST(ColumnCode, NonsenseIsRefused) {
  const auto complaint_of = [](const ColumnEncoding& column) {
    return complaint([&] { expect_sound(column); });
  };
  EXPECT_EQ(complaint_of({Encoding::standard, 0, 1}), "no complaint");
  EXPECT_NE(complaint_of({Encoding::standard, 0, 0}), "no complaint");
  EXPECT_NE(complaint_of({Encoding::piecewise, 0, 1, {1}}), "no complaint");
  EXPECT_NE(complaint_of({Encoding::piecewise, 0, 1, {1, 1}}), "no complaint");
  EXPECT_NE(complaint_of({Encoding::quantile, 0, 1, {}, {1, 0}}), "no complaint");
  EXPECT_EQ(complaint_of({Encoding::quantile, 0, 1, {}, {1, 1}}), "no complaint");
  EXPECT_NE(complaint_of({Encoding::bins, 0, 1, {2, 1}, {1, 2}}), "no complaint");
}

}  // namespace
}  // namespace postrider
