// Neighbours of residuals, against small sums and searches that are made here.
#include "estimator/residual_neighbours.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "base/random.h"
#include "estimator/distance_scale.h"
#include "estimator/learned_neighbours.h"
#include "estimator/unit_shape.h"
#include "postrider/error.h"

namespace postrider {
using namespace internal;
namespace {

double standard_normal_below(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

double standard_normal_density(double z) {
  return std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi);
}

// Where Phi has a value, by halving.
double score_of_probability(double u) {
  double low = -9, high = 9;
  for (int step = 0; step < 80; ++step) {
    const double middle = 0.5 * (low + high);
    (standard_normal_below(middle) < u ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

TEST(LocalNormal, IsTheRatioOfTwoNormalDensities) {
  const LocalNormal g(0.8, 0.4, 0.7);
  for (const double u : {0.001, 0.2, 0.5, 0.83, 0.999}) {
    const double z = score_of_probability(u);
    const double wanted =
        0.3 + 0.7 * standard_normal_density((z - 0.8) / 0.4) / 0.4 / standard_normal_density(z);
    EXPECT_NEAR(g.density(u), wanted, 1e-9 * wanted);
    EXPECT_NEAR(g.below(u), 0.3 * u + 0.7 * standard_normal_below((z - 0.8) / 0.4), 1e-12);
    EXPECT_NEAR(g.inverse(g.below(u)), u, 1e-9);
    EXPECT_GE(g.density(u), 0.3);
  }
}

TEST(LocalNormal, ThatSaysNothingChangesNothing) {
  const LocalNormal g(0, 1, 0.9);
  for (const double u : {1e-6, 0.3, 0.99}) {
    EXPECT_NEAR(g.density(u), 1, 1e-12);
    EXPECT_NEAR(g.below(u), u, 1e-12);
  }
}

TEST(UnitShape, OfBothPartsIsADensity) {
  const UnitDensity bins(std::vector<double>{0.1, 0.4, 0.2, 0.3}, 0.8);
  const UnitShape g(LocalNormal(-0.5, 0.6, 0.5), bins);
  double sum = 0;
  constexpr int kSteps = 200000;
  for (int k = 0; k < kSteps; ++k) {
    const double u = (k + 0.5) / kSteps;
    sum += g.density(u) / kSteps;
    if (k % 20011 == 0) {
      EXPECT_NEAR(g.below((k + 1.0) / kSteps), sum, 1e-5);
      EXPECT_NEAR(g.inverse(g.below(u)), u, 1e-8);
    }
  }
  EXPECT_NEAR(sum, 1, 1e-5);
  const std::vector<double> ends = g.ends();
  EXPECT_TRUE(std::ranges::is_sorted(ends));
  for (std::size_t bin = 0; bin < bins.bins(); ++bin) {  // where the density has a kink
    const double kink = LocalNormal(-0.5, 0.6, 0.5).inverse(bins.centre(bin));
    EXPECT_TRUE(std::ranges::any_of(ends, [&](double u) { return std::abs(u - kink) < 1e-9; }));
  }
}

TEST(DistanceScale, IsInDeviations) {
  const std::vector<double> numbers{1, 2, 3, 6};
  const DistanceScale scale = DistanceScale::standard(numbers);
  const double deviation = std::sqrt((4 + 1 + 0 + 9) / 4.0);
  EXPECT_NEAR(scale(3), 0, 1e-12);
  EXPECT_NEAR(scale(10), 7 / deviation, 1e-12);
  EXPECT_EQ(scale(std::numeric_limits<double>::quiet_NaN()), 0);
  EXPECT_EQ(DistanceScale::standard(std::vector<double>{4, 4})(7), 0);
}

TEST(DistanceScale, OfRanksSpreadsCrowdedNumbersEvenly) {
  std::vector<double> numbers(1001);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = std::pow(static_cast<double>(i) / 1000, 4);
  const DistanceScale scale = DistanceScale::ranks(numbers);
  double squares = 0;
  for (const double x : numbers) squares += scale(x) * scale(x) / 1001;
  EXPECT_NEAR(squares, 1, 0.01);
  EXPECT_NEAR(scale(std::pow(0.75, 4)), 0.25 * 2 * std::numbers::sqrt3, 0.02);
  EXPECT_GT(scale(2), scale(1));  // straight on beyond the ends
  EXPECT_EQ(DistanceScale::ranks({5, 5, 5})(9), 0);
}

TEST(DistanceScale, RefusesKnotsThatAreNone) {
  EXPECT_THROW(DistanceScale({1}, {0}), InvalidArgument);
  EXPECT_THROW(DistanceScale({2, 1}, {0, 1}), InvalidArgument);
  EXPECT_THROW(DistanceScale({1, 2}, {0}), InvalidArgument);
  EXPECT_THROW(DistanceScale({1, 2}, {0, std::nan("")}), InvalidArgument);
}

TEST(NearestRows, AreThoseOfASortOfAll) {
  constexpr std::size_t kRows = 700, kColumns = 3;
  RandomStream random(4, 0);
  std::vector<float> by_column;
  for (std::size_t i = 0; i < kRows * kColumns; ++i)
    by_column.push_back(static_cast<float>(std::round(random.uniform(-4, 4))));  // with ties
  const NearestRows all(by_column, kColumns);
  const std::vector<float> point{0.25F, -1.5F, 2.0F};
  std::vector<std::pair<double, std::uint32_t>> sorted;
  for (std::uint32_t row = 0; row < kRows; ++row) {
    if (row % 3 == 1) continue;
    double square = 0;
    for (std::size_t c = 0; c < kColumns; ++c)
      square += std::pow(double{by_column[c * kRows + row]} - double{point[c]}, 2);
    sorted.emplace_back(square, row);
  }
  std::ranges::sort(sorted);
  const std::vector<NearestRows::Near> found =
      all.near(point, [](std::uint32_t row) { return row % 3 == 1; });
  ASSERT_EQ(found.size(), NearestRows::kMost);
  for (std::size_t k = 0; k < found.size(); ++k) {
    EXPECT_EQ(found[k].row, sorted[k].second);
    EXPECT_NEAR(found[k].square, sorted[k].first, 1e-4);
  }
}

// With two neighbours the inverse of their covariance can be written down.
TEST(ResidualNeighbours, AreAGaussianProcess) {
  const DistanceScale plain({0, 1}, {0, 1});
  const ResidualNeighbours neighbours({plain}, NearestRows({0, 1}, 1), {1.2, -0.4},
                                      {.length = 2, .correlation = 0.8, .share = 0.6});
  Workers workers(1);
  const std::vector<double> at{0.25, 400};
  const std::vector<LocalNormal> found = neighbours.at(Inputs(at, 2, 1), workers);
  const double c0 = 0.8 * std::exp(-0.125), c1 = 0.8 * std::exp(-0.375), r = 0.8 * std::exp(-0.5);
  const double determinant = 1 - r * r;
  const double w0 = (c0 - r * c1) / determinant, w1 = (c1 - r * c0) / determinant;
  EXPECT_NEAR(found[0].mean(), w0 * 1.2 - w1 * 0.4, 1e-7);
  EXPECT_NEAR(found[0].deviation(), std::sqrt(1 - w0 * c0 - w1 * c1), 1e-7);
  EXPECT_NEAR(found[1].mean(), 0, 1e-12);  // far from all
  EXPECT_NEAR(found[1].deviation(), 1, 1e-12);
}

TEST(ResidualNeighbours, RefuseWhatMakesNoSense) {
  const DistanceScale plain({0, 1}, {0, 1});
  const NearestRows rows({0, 1}, 1);
  const ResidualNeighbours::Kernel sound{1, 0.5, 0.5};
  EXPECT_THROW(ResidualNeighbours({plain, plain}, rows, {0, 0}, sound), InvalidArgument);
  EXPECT_THROW(ResidualNeighbours({plain}, rows, {0}, sound), InvalidArgument);
  EXPECT_THROW(ResidualNeighbours({plain}, rows, {0, 9}, sound), InvalidArgument);
  EXPECT_THROW(ResidualNeighbours({plain}, rows, {0, std::nan("")}, sound), InvalidArgument);
  EXPECT_THROW(ResidualNeighbours({plain}, rows, {0, 0}, {0, 0.5, 0.5}), InvalidArgument);
  EXPECT_THROW(ResidualNeighbours({plain}, rows, {0, 0}, {1, 1, 0.5}), InvalidArgument);
  EXPECT_THROW(ResidualNeighbours({plain}, rows, {0, 0}, {1, 0.5, std::nan("")}), InvalidArgument);
  EXPECT_THROW(NearestRows({0, INFINITY}, 1), InvalidArgument);
  EXPECT_THROW(NearestRows({}, 1), InvalidArgument);
}

// Rows of three columns, whose scores are alike where the second lies in the same of 40 cells: z = 0.8 b_cell + 0.6 e.
struct Cells {
  std::vector<double> inputs, below, weights;
  std::vector<std::uint32_t> cells;
  double most = 0;  // what whoever knows the effects gains, on average
};

Cells rows_in_cells(std::size_t count, double shared) {
  Cells out;
  RandomStream random(7, 0);
  std::vector<double> effects;
  for (int cell = 0; cell < 40; ++cell) effects.push_back(random.normal());
  for (std::size_t i = 0; i < count; ++i) {
    const auto cell = static_cast<std::uint32_t>(random.uniform() * 40);
    out.cells.push_back(cell);
    for (const double x : {random.normal(), cell + 0.0, random.uniform()}) out.inputs.push_back(x);
    const double noise = std::sqrt(1 - shared * shared), e = random.normal();
    const double z = shared * effects[cell] + noise * e;
    out.most += (-std::log(noise) - 0.5 * e * e + 0.5 * z * z) / static_cast<double>(count);
    out.below.push_back(standard_normal_below(z));
    out.weights.push_back(1);
  }
  return out;
}

std::optional<LearnedNeighbours> learned(const Cells& rows,
                                         std::span<const std::uint32_t> groups = {},
                                         unsigned threads = 1,
                                         const std::function<bool()>& interrupted = {}) {
  Workers workers(threads);
  const Inputs inputs(rows.inputs, rows.below.size(), 3);
  std::vector<UnitCell> cells;
  for (const double below : rows.below) cells.push_back({below, below});
  return learn_neighbours({inputs, rows.below, cells, rows.weights, groups}, workers, interrupted);
}

// With some twenty rows a cell effects are known to a fifth of a deviation.
TEST(LearnedNeighbours, FindTheColumnThatCounts) {
  const Cells rows = rows_in_cells(800, 0.8);
  const std::optional<LearnedNeighbours> found = learned(rows);
  ASSERT_TRUE(found);
  double gain = 0;
  for (std::size_t row = 0; row < 800; ++row)
    gain += std::log(found->of_rows[row].density(rows.below[row])) / 800;
  EXPECT_GT(gain, 0.8 * rows.most);
  EXPECT_LT(gain, rows.most);
  const auto slope = [&](std::size_t column) {
    const DistanceScale& scale = found->neighbours.scales()[column];
    return (scale(0.9) - scale(0.1)) / 0.8;
  };
  EXPECT_GT(slope(1) * std::sqrt(133.0), 4 * slope(0));  // both in deviations of their columns
}

TEST(LearnedNeighbours, AreNotFoundWhereScoresAreIndependent) {
  EXPECT_FALSE(learned(rows_in_cells(800, 0)));
}

// What the rows of a group share tells nothing of new groups.
TEST(LearnedNeighbours, AreOfOtherGroups) {
  const Cells rows = rows_in_cells(800, 0.8);
  EXPECT_FALSE(learned(rows, rows.cells));
}

TEST(LearnedNeighbours, DoNotDependOnThreads) {
  const Cells rows = rows_in_cells(300, 0.8);
  const std::optional<LearnedNeighbours> one = learned(rows), three = learned(rows, {}, 3);
  ASSERT_TRUE(one && three);
  EXPECT_EQ(one->neighbours.kernel().length, three->neighbours.kernel().length);
  for (std::size_t row = 0; row < 300; ++row)
    EXPECT_EQ(one->of_rows[row].mean(), three->of_rows[row].mean());
}

TEST(LearnedNeighbours, AreNotLearnedByWhoIsInterrupted) {
  EXPECT_FALSE(learned(rows_in_cells(800, 0.8), {}, 1, [] { return true; }));
  int asked = 0;
  EXPECT_FALSE(learned(rows_in_cells(800, 0.8), {}, 1, [&] { return ++asked > 60; }));
}

// A column that is constant, one with numbers missing and one beyond all measure do no harm.
TEST(LearnedNeighbours, TakeColumnsAsTheyAre) {
  Cells rows = rows_in_cells(300, 0.8);
  for (std::size_t row = 0; row < 300; ++row) {
    rows.inputs[3 * row] = 5;
    if (row % 7 == 0) rows.inputs[3 * row + 2] = std::numeric_limits<double>::quiet_NaN();
  }
  rows.inputs[5] = 1e300;
  const std::optional<LearnedNeighbours> found = learned(rows);
  ASSERT_TRUE(found);
  for (const LocalNormal& each : found->of_rows) {
    EXPECT_TRUE(std::isfinite(each.mean()));
    EXPECT_TRUE(each.deviation() > 0 && each.deviation() <= 1);
  }
}

}  // namespace
}  // namespace postrider
