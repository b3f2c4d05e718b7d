#include "encode/input_encoding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "complaint.h"

namespace postrider {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Two columns: one with two knots, and one of zeros and ones.
const std::vector<ColumnEncoding> kColumns{{Encoding::piecewise, 0, 1, {0, 4}},
                                           {Encoding::standard, 0, 1}};
const std::vector<double> kRows{1, 0, 3, 1, 4, 1, 0, 1};

TEST(InputEncoding, InputsBelongToColumns) {
  const InputEncoding encoding(kColumns, kRows);
  EXPECT_EQ(encoding.inputs(), 3u);
  EXPECT_EQ(encoding.column_of(0), 0u);
  EXPECT_EQ(encoding.column_of(1), 0u);
  EXPECT_EQ(encoding.column_of(2), 1u);
}

// Inputs (0.75, 0.25, 0), (0.25, 0.75, 1), (0, 1, 1), (1, 0, 1): mean squares 1.625/4, 1.625/4 and 3/4.
TEST(InputEncoding, TheMeanSquaresOfAllInputsAddUpToTheirNumber) {
  const InputEncoding encoding(kColumns, kRows);
  EXPECT_NEAR(encoding.unit(), std::sqrt(3 / (6.25 / 4)), 1e-12);
  const EncodedRows found = encoding.encoded(kRows);
  double squares = 0;
  for (const double value : found.values) squares += value * value;
  EXPECT_NEAR(squares / 4, 3, 1e-12);
}

TEST(InputEncoding, RowsHoldWhatIsNotZero) {
  const InputEncoding encoding(kColumns, kRows);
  const EncodedRows found = encoding.encoded(std::vector<double>{1, 1});
  EXPECT_EQ(found.begins, (std::vector<std::size_t>{0, 3}));
  EXPECT_EQ(found.columns, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_NEAR(found.values[0], 0.75 * encoding.unit(), 1e-12);
  EXPECT_TRUE(found.variances.empty());
}

TEST(InputEncoding, WhatIsMissingIsAsTheRowsWere) {
  const InputEncoding encoding(kColumns, kRows);
  const double unit = encoding.unit();
  const EncodedRows found = encoding.encoded(std::vector<double>{kNaN, 1});
  ASSERT_EQ(found.columns, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_NEAR(found.values[0], 0.5 * unit, 1e-12);
  EXPECT_NEAR(found.variances[0], (1.625 / 4 - 0.25) * unit * unit, 1e-12);
  EXPECT_EQ(found.variances[2], 0);
}

TEST(InputEncoding, StandardisedColumnsHaveTheirOwnUnit) {
  const std::vector<double> rows{1, 10, 2, 30, 6, 20};
  const std::vector<ColumnMoment> moments = column_moments(rows, 2);
  const InputEncoding encoding(moments);
  EXPECT_EQ(encoding.unit(), 1);
  const EncodedRows found = encoding.encoded(rows);
  EXPECT_NEAR(found.values[0], (1 - 3) / std::sqrt(14 / 3.0), 1e-12);
  const EncodedRows missing = encoding.encoded(std::vector<double>{kNaN, 20});
  EXPECT_NEAR(missing.values[0], 0, 1e-12);
  EXPECT_NEAR(missing.variances[0], 1, 1e-12);
}

TEST(InputEncoding, FromMomentsOrFromRowsIsTheSame) {
  const std::vector<double> rows{1, 0, 2, 1, 6, 1, kNaN, 0};
  const std::vector<ColumnMoment> moments = column_moments(rows, 2);
  const InputEncoding one(moments), other(one.columns(), rows);
  EXPECT_EQ(one.columns(), other.columns());
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(one.typical_means()[k], other.typical_means()[k], 1e-12);
    EXPECT_NEAR(one.typical_variances()[k], other.typical_variances()[k], 1e-12);
  }
  EXPECT_NEAR(one.unit(), other.unit(), 1e-12);
}

TEST(InputEncoding, NumbersBetweenZeroAndOneAreStandardised) {
  const std::vector<double> shares{0, 0.5, 1}, bits{0, 0, 1};
  EXPECT_NE(standard_encoding(column_moments(shares, 1).front()).mean, 0);
  EXPECT_EQ(standard_encoding(column_moments(bits, 1).front()), (ColumnEncoding{}));
}

TEST(InputEncoding, AStoredOneIsTheSame) {
  const InputEncoding made(kColumns, kRows);
  const InputEncoding stored(made.columns(), made.typical_means(), made.typical_variances(),
                             made.unit());
  EXPECT_EQ(stored.encoded(kRows).values, made.encoded(kRows).values);
}

TEST(InputEncoding, AStoredOneIsChecked) {
  const auto complaint_of = [](std::vector<double> means, std::vector<double> variances,
                               double unit) {
    return complaint([&] { InputEncoding(kColumns, means, variances, unit); });
  };
  EXPECT_EQ(complaint_of({0, 0, 0}, {1, 1, 1}, 1), "no complaint");
  EXPECT_NE(complaint_of({0, 0}, {1, 1, 1}, 1), "no complaint");
  EXPECT_NE(complaint_of({0, 0, kNaN}, {1, 1, 1}, 1), "no complaint");
  EXPECT_NE(complaint_of({0, 0, 0}, {1, 1, -1}, 1), "no complaint");
  EXPECT_NE(complaint_of({0, 0, 0}, {1, 1, 1}, 0), "no complaint");
}

}  // namespace
}  // namespace postrider
