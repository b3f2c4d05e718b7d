#include "encode/input_encoding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "complaint.h"

namespace postrider {
using namespace internal;
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
  const SparseInputs found = encoding.encoded(kRows);
  double squares = 0;
  for (const double value : found.values) squares += value * value;
  EXPECT_NEAR(squares / 4, 3, 1e-12);
}

TEST(InputEncoding, RowsHoldWhatIsNotZero) {
  const InputEncoding encoding(kColumns, kRows);
  const SparseInputs found = encoding.encoded(std::vector<double>{1, 1});
  EXPECT_EQ(found.begins, (std::vector<std::size_t>{0, 3}));
  EXPECT_EQ(found.places, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_NEAR(found.values[0], 0.75 * encoding.unit(), 1e-12);
  EXPECT_TRUE(found.variances.empty());
}

TEST(InputEncoding, WhatIsMissingIsAsTheRowsWere) {
  const InputEncoding encoding(kColumns, kRows);
  const double unit = encoding.unit();
  const SparseInputs found = encoding.encoded(std::vector<double>{kNaN, 1});
  ASSERT_EQ(found.places, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_NEAR(found.values[0], 0.5 * unit, 1e-12);
  EXPECT_NEAR(found.variances[0], (1.625 / 4 - 0.25) * unit * unit, 1e-12);
  EXPECT_EQ(found.variances[2], 0);
}

TEST(InputEncoding, StandardisedColumnsHaveTheirOwnUnit) {
  const std::vector<double> rows{1, 10, 2, 30, 6, 20};
  const std::vector<ColumnMoment> moments = column_moments(Inputs(rows).of_columns(2));
  const InputEncoding encoding(moments);
  EXPECT_EQ(encoding.unit(), 1);
  const SparseInputs found = encoding.encoded(rows);
  EXPECT_NEAR(found.values[0], (1 - 3) / std::sqrt(14 / 3.0), 1e-12);
  const SparseInputs missing = encoding.encoded(std::vector<double>{kNaN, 20});
  EXPECT_NEAR(missing.values[0], 0, 1e-12);
  EXPECT_NEAR(missing.variances[0], 1, 1e-12);
}

TEST(InputEncoding, FromMomentsOrFromRowsIsTheSame) {
  const std::vector<double> rows{1, 0, 2, 1, 6, 1, kNaN, 0};
  const std::vector<ColumnMoment> moments = column_moments(Inputs(rows).of_columns(2));
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
  EXPECT_NE(standard_encoding(column_moments(Inputs(shares).of_columns(1)).front()).mean, 0);
  EXPECT_EQ(standard_encoding(column_moments(Inputs(bits).of_columns(1)).front()),
            (ColumnEncoding{}));
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

// Sparse rows are encoded as whole ones are, also where zero is not zero to the network, and where one is missing.
TEST(InputEncoding, SparseRowsAreThoseOfWholeOnes) {
  const std::vector<ColumnEncoding> columns{{Encoding::standard, 0, 2},
                                            {Encoding::piecewise, 0, 1, {-1, 4}},
                                            {Encoding::standard, 0.5, 1},
                                            {Encoding::standard, 0, 1}};
  const std::vector<double> whole{0, 0, 0, 1, 3, 0, 2, 0, 0, kNaN, 0, kNaN, 0, 2, 0, 0};
  const SparseInputs sparse{4, {0, 1, 3, 5, 6}, {3, 0, 2, 1, 3, 1}, {1, 3, 2, kNaN, kNaN, 2}};
  const std::vector<double> weights{1, 2, 1, 4};
  const InputEncoding of_whole(columns, whole, weights), of_sparse(columns, sparse, weights);
  EXPECT_EQ(of_sparse.typical_means(), of_whole.typical_means());
  EXPECT_EQ(of_sparse.typical_variances(), of_whole.typical_variances());
  EXPECT_EQ(of_sparse.unit(), of_whole.unit());
  EXPECT_EQ(of_sparse.active_shares(), of_whole.active_shares());
  const SparseInputs expected = of_whole.encoded(whole), found = of_whole.encoded(sparse);
  EXPECT_EQ(found.begins, expected.begins);
  EXPECT_EQ(found.places, expected.places);
  EXPECT_EQ(found.values, expected.values);
  EXPECT_EQ(found.variances, expected.variances);
}

// Inputs (0.75, 0.25, 0), (0.25, 0.75, 1), (0, 1, 1), (1, 0, 1): nine of twelve are not zero.
TEST(InputEncoding, ActiveInputsAreCounted) {
  const InputEncoding encoding(kColumns, kRows);
  EXPECT_EQ(encoding.active_shares(), (std::vector<double>{0.75, 0.75, 0.75}));
  EXPECT_EQ(encoding.active_inputs(), 2U) << "2.25 of three";
  const std::vector<double> rows{1, 10, 0, 30, 0, 20, 0, 25};
  const InputEncoding standard(column_moments(Inputs(rows).of_columns(2)));
  EXPECT_EQ(standard.active_shares(), (std::vector<double>{0.25, 1}));
  EXPECT_EQ(InputEncoding().active_inputs(), 0U) << "not known";
}

}  // namespace
}  // namespace postrider
