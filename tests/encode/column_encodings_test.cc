#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "encode/input_encoding.h"

namespace postrider {
using namespace internal;
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kRows = 100, kColumns = 4;

// A step at 40, zeros and ones, a constant, and numbers that tell nothing.
struct Rows {
  std::vector<double> inputs, targets;
  Rows() {
    for (std::size_t i = 0; i < kRows; ++i) {
      const auto x = static_cast<double>(i);
      inputs.insert(inputs.end(), {x, i % 2 == 0 ? 0.0 : 1.0, 7, std::sin(1000.0 * x)});
      targets.push_back(i < 40 ? 0 : 1);
    }
  }
};

std::vector<ColumnEncoding> made(Encoding kind) {
  const Rows rows;
  return column_encodings(kind, Inputs(rows.inputs).of_columns(kColumns), {rows.targets, 2});
}

TEST(ColumnEncodings, ZerosAndOnesStay) {
  for (const Encoding kind :
       {Encoding::standard, Encoding::quantile, Encoding::piecewise, Encoding::bins})
    EXPECT_EQ(made(kind)[1], (ColumnEncoding{Encoding::standard, 0, 1}));
}

TEST(ColumnEncodings, AConstantHasNoUnitOfItsOwn) {
  for (const Encoding kind : {Encoding::standard, Encoding::bins})
    EXPECT_EQ(made(kind)[2], (ColumnEncoding{Encoding::standard, 7, 1}));
}

TEST(ColumnEncodings, KnotsAreWhereTheTargetChanges) {
  const ColumnEncoding piecewise = made(Encoding::piecewise)[0], bins = made(Encoding::bins)[0];
  EXPECT_EQ(piecewise.knots, (std::vector<double>{0, 39.5, 99}));
  EXPECT_TRUE(piecewise.ranks.empty());
  EXPECT_EQ(bins.knots, (std::vector<double>{39.5}));
  EXPECT_EQ(bins.ranks.size(), kRows);
  EXPECT_EQ(bins.mean, 49.5);
}

TEST(ColumnEncodings, WithoutACutTheRankIsTold) {
  EXPECT_EQ(made(Encoding::piecewise)[3].kind, Encoding::quantile);
  EXPECT_EQ(made(Encoding::bins)[3].kind, Encoding::quantile);
  EXPECT_EQ(made(Encoding::quantile)[0].kind, Encoding::quantile);
}

TEST(ColumnEncodings, ManyRanksAreThinnedOut) {
  std::vector<double> x;
  for (int i = 0; i < 10000; ++i) x.push_back(i * i);
  const std::vector<double> ranks =
      column_encodings(Encoding::quantile, Inputs(x).of_columns(1), {x}).front().ranks;
  ASSERT_EQ(ranks.size(), 257u);
  EXPECT_EQ(ranks.front(), 0);
  EXPECT_EQ(ranks.back(), 9999.0 * 9999);
  EXPECT_EQ(ranks[128], std::floor(128 * 9999 / 256.0) * std::floor(128 * 9999 / 256.0));
}

TEST(ColumnEncodings, AColumnThatIsMissingIsStandard) {
  const std::vector<double> x(10, kNaN), y(10, 0);
  EXPECT_EQ(column_encodings(Encoding::bins, Inputs(x).of_columns(1), {y, 2}).front(),
            ColumnEncoding{});
}

TEST(ColumnEncodings, SparseRowsHaveThoseOfWholeOnes) {
  const Rows rows;
  SparseInputs sparse{.columns = kColumns};
  for (std::size_t i = 0; i < rows.inputs.size(); ++i) {
    if (rows.inputs[i] != 0) sparse.add(i % kColumns, rows.inputs[i]);
    if ((i + 1) % kColumns == 0) sparse.end_row();
  }
  for (const Encoding kind : {Encoding::quantile, Encoding::piecewise, Encoding::bins})
    EXPECT_EQ(column_encodings(kind, Inputs(sparse).of_columns(kColumns), {rows.targets, 2}),
              made(kind));
}

// 3, 0, 4 and a missing number, all zeros, and ones: the root of (9 + 16 w)/(1 + w) with weights 1 and w = 3.
TEST(ColumnEncodings, ZerosStayZeros) {
  const SparseInputs rows{3, {0, 2, 3, 5, 6}, {0, 2, 2, 0, 2, 0}, {3, 1, 1, 4, 1, kNaN}};
  const std::vector<double> weights{1, 5, 3, 1};
  const std::vector<ColumnEncoding> found =
      zero_keeping_encodings(Inputs(rows).of_columns(3), weights);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0], (ColumnEncoding{Encoding::standard, 0, std::sqrt(57.0 / 4)}));
  EXPECT_EQ(found[1], ColumnEncoding{});
  EXPECT_EQ(found[2], ColumnEncoding{});
}

}  // namespace
}  // namespace postrider
