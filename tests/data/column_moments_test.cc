#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.h"
#include "data/standardise.h"

namespace postrider {
using namespace internal;
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// As scales_of() finds them from all rows at once, whichever parts they were cut into.
TEST(ColumnMoments, PartsGiveTheScalesOfTheWhole) {
  RandomStream random(3, 0);
  std::vector<double> rows, weights;
  for (int i = 0; i < 300; ++i) {
    rows.push_back(1e6 + random.normal());
    rows.push_back(random.uniform() < 0.2 ? kNan : 1e-9 * random.uniform());
    rows.push_back(5);
    rows.push_back(kNan);
    weights.push_back(0.5 + random.uniform());
  }
  for (const bool weighted : {false, true}) {
    const std::vector<double> own = weighted ? weights : std::vector<double>{};
    const Scales whole = scales_of(Inputs(rows).of_columns(4), own);
    for (const std::size_t cut : {1, 7, 299}) {
      const auto part = [&](const std::vector<double>& all, std::size_t width, bool first) {
        if (all.empty()) return std::span<const double>();
        const auto split = std::span(all);
        return first ? std::span<const double>(split.first(cut * width))
                     : std::span<const double>(split.subspan(cut * width));
      };
      std::vector<ColumnMoment> joined =
          column_moments(Inputs(part(rows, 4, true)).of_columns(4), part(own, 1, true));
      const auto more =
          column_moments(Inputs(part(rows, 4, false)).of_columns(4), part(own, 1, false));
      for (std::size_t c = 0; c < 4; ++c) joined[c].add(more[c]);
      const Scales found = scales_of(joined);
      for (std::size_t c = 0; c < 4; ++c) {
        EXPECT_NEAR(found.mean[c], whole.mean[c], 1e-14 * std::abs(whole.mean[c]));
        EXPECT_NEAR(found.deviation[c] / whole.deviation[c], 1, 1e-12);
      }
    }
  }
}

// Whether zeros are there does not change a bit.
TEST(ColumnMoments, SparseRowsHaveTheMomentsOfWholeOnes) {
  RandomStream random(8, 0);
  std::vector<double> whole, weights;
  SparseInputs sparse{.columns = 3};
  for (int row = 0; row < 200; ++row) {
    for (std::size_t c = 0; c < 3; ++c) {
      const double draw = random.uniform();
      whole.push_back(draw < 0.6 ? 0 : draw < 0.7 ? kNan : random.normal());
      if (whole.back() != 0) sparse.add(c, whole.back());
    }
    sparse.end_row();
    weights.push_back(0.5 + random.uniform());
  }
  for (const std::vector<double>& own : {std::vector<double>{}, weights}) {
    const auto expected = column_moments(Inputs(whole).of_columns(3), own),
               found = column_moments(Inputs(sparse).of_columns(3), own);
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_EQ(found[c].count, expected[c].count);
      EXPECT_EQ(found[c].mean, expected[c].mean);
      EXPECT_EQ(found[c].squares, expected[c].squares);
      EXPECT_EQ(found[c].least, expected[c].least);
      EXPECT_EQ(found[c].most, expected[c].most);
    }
  }
}

TEST(ColumnMoments, NoSquareIsTooLargeOrTooSmall) {
  for (const double unit : {1e-200, 1e200}) {
    const std::vector<double> rows{unit, 2 * unit, 3 * unit};
    EXPECT_NEAR(scales_of(column_moments(Inputs(rows).of_columns(1))).deviation[0] / unit,
                std::sqrt(2.0 / 3), 1e-12);
  }
}

}  // namespace
}  // namespace postrider
