#include "math/quadrature.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/constants/constants.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cctype>
#include <cmath>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

namespace postrider {
using namespace internal;
namespace {

constexpr double kLogSqrtTwoPi = 0.91893853320467274178;
const double kRootTwoOverPi = std::sqrt(2 / boost::math::constants::pi<double>());

// Panels are refined to 1e-14 of the mass; sums over a few thousand nodes add their roundings.
constexpr double kRelative = 1e-12;

double log_normal(double x, double mean, double deviation) {
  const double z = (x - mean) / deviation;
  return -z * z / 2 - std::log(deviation) - kLogSqrtTwoPi;
}

double log_of_sum(double a, double b) {
  const double top = std::max(a, b);
  return top + std::log(std::exp(a - top) + std::exp(b - top));
}

// A density with known mass and moments.
struct Known {
  std::string name;
  LogDensity log_density;
  std::vector<double> ends_and_kinks;
  double log_mass, mean, variance;
};

void PrintTo(const Known& known, std::ostream* out) { *out << known.name; }

std::vector<Known> known_densities() {
  const double nothing = -std::numeric_limits<double>::infinity();
  std::vector<Known> all;
  all.push_back({"Gaussian", [](double x) { return log_normal(x, 3, 2); }, gaussian_range(3, 4, {}),
                 0, 3, 4});
  all.push_back({"scaled far below the smallest double",
                 [](double x) { return log_normal(x, 3, 2) - 5000; }, gaussian_range(3, 4, {}),
                 -5000, 3, 4});
  all.push_back({"narrow peak in a wide range",
                 [](double x) { return log_normal(x, 123.4, 1e-6); },
                 {-500, 500},
                 0,
                 123.4,
                 1e-12});
  // Two halves of Gaussians that meet at 1: deviation 1 on the left, 3 on the right.
  //   mass of N(x; 1, s^2) s sqrt(2 pi) on its side: s sqrt(pi/2), so shares are 1/4 and 3/4.
  const double two_piece_mean = (9 - 1) / 4.0 * kRootTwoOverPi;
  all.push_back({"two pieces",
                 [](double x) { return x < 1 ? -(x - 1) * (x - 1) / 2 : -(x - 1) * (x - 1) / 18; },
                 {-60, 1, 200},
                 std::log(4 * std::sqrt(boost::math::constants::half_pi<double>())),
                 1 + two_piece_mean,
                 (1 + 27) / 4.0 - two_piece_mean * two_piece_mean});
  for (const double shape : {1.0, 2.5, 40.0})
    all.push_back({"gamma " + std::to_string(shape),
                   [shape](double x) { return (shape - 1) * std::log(x) - x; },
                   {0, 1000},
                   boost::math::lgamma(shape),
                   shape,
                   shape});
  // 1 on [0, 2), 3 on [2, 3], nothing elsewhere.
  all.push_back({"jump at a kink",
                 [nothing](double x) {
                   if (x < 0 || x > 3) return nothing;
                   return x < 2 ? 0.0 : std::log(3.0);
                 },
                 {-1, 0, 2, 3, 5},
                 std::log(5.0),
                 (2 + 7.5) / 5,
                 (8 / 3.0 + 19) / 5 - 1.9 * 1.9});
  // N(x; -20, 1) N(x; 20, 4) = N(-20; 20, 5) N(x; -12, 0.8).
  all.push_back({"product of two Gaussians far apart",
                 [](double x) { return log_normal(x, -20, 1) + log_normal(x, 20, 2); },
                 gaussian_range(-20, 1, {}), log_normal(-20, 20, std::sqrt(5.0)), -12, 0.8});
  all.push_back({"mixture of two peaks of different width",
                 [](double x) { return log_of_sum(log_normal(x, -5, 0.01), log_normal(x, 5, 1)); },
                 {-100, 0, 100},
                 std::log(2.0),
                 0,
                 (25 + 1e-4 + 25 + 1) / 2});
  return all;
}

class KnownDensity : public testing::TestWithParam<Known> {};

TEST_P(KnownDensity, HasItsMassAndMoments) {
  const Known& known = GetParam();
  const Tabulated table(known.log_density, known.ends_and_kinks);
  const double deviation = std::sqrt(known.variance);
  // An argument itself has the precision of double: that is all a narrow peak far out can give.
  const double place = std::numeric_limits<double>::epsilon() * std::abs(known.mean);
  EXPECT_NEAR(table.log_mass(), known.log_mass,
              kRelative * std::max(1.0, std::abs(known.log_mass)) + place / deviation);
  EXPECT_NEAR(table.mean(), known.mean, kRelative * deviation + place);
  EXPECT_NEAR(table.variance(), known.variance, kRelative * known.variance + place * deviation);
}

TEST_P(KnownDensity, ExpectationsAreSumsOverTheSameNodes) {
  const Known& known = GetParam();
  const Tabulated table(known.log_density, known.ends_and_kinks);
  EXPECT_NEAR(table.expect([](double) { return 1.0; }), 1, kRelative);
  EXPECT_NEAR(table.expect([&](double x) { return x - table.mean(); }), 0,
              kRelative * std::sqrt(known.variance) + kRelative * std::abs(known.mean));
  // The log density that an integrand sees is normalised.
  const double mismatch = table.expect([&](double x, double log_p) {
    return std::abs(log_p - (known.log_density(x) - table.log_mass()));
  });
  EXPECT_NEAR(mismatch, 0, kRelative * std::max(1.0, std::abs(known.log_mass)));
}

INSTANTIATE_TEST_SUITE_P(Quadrature, KnownDensity, testing::ValuesIn(known_densities()),
                         [](const auto& which) {
                           std::string name = which.param.name;
                           std::replace_if(
                               name.begin(), name.end(),
                               [](unsigned char c) { return !std::isalnum(c); }, '_');
                           return name;
                         });

// Differential entropy of N(m, s^2): log s + (1 + log 2 pi)/2.
TEST(Tabulated, EntropyOfAGaussian) {
  const Tabulated table([](double x) { return log_normal(x, -1, 0.2); },
                        gaussian_range(-1, 0.04, {}));
  const double entropy = table.expect([](double, double log_p) { return -log_p; });
  EXPECT_NEAR(entropy, std::log(0.2) + kLogSqrtTwoPi + 0.5, kRelative);
}

TEST(Tabulated, PeakIsWhereTheDensityIsLargest) {
  // A maximum is flat: its place is known to the root of the precision of its height.
  const double place = 10 * std::sqrt(std::numeric_limits<double>::epsilon());
  const Tabulated table(
      [](double x) { return log_of_sum(log_normal(x, -5, 0.01), log_normal(x, 5, 1)); },
      {-100, 0, 100});
  EXPECT_NEAR(table.peak(), -5, place);
}

TEST(Tabulated, NoMassGivesLogZero) {
  const double nothing = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(Tabulated([=](double) { return nothing; }, {0, 1}).log_mass(), nothing);
}

TEST(TabulatedDeathTest, RangeMustAscend) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const LogDensity flat = [](double) { return 0.0; };
  EXPECT_DEATH(Tabulated(flat, {1, 0}), "ascending");
  EXPECT_DEATH(Tabulated(flat, {1}), "ascending");
}

TEST(GaussianRange, AscendsAndHoldsMeanAndKinks) {
  const std::vector<double> range = gaussian_range(5, 9, {0, 7, -2});
  EXPECT_TRUE(std::is_sorted(range.begin(), range.end()));
  for (const double inside : {5.0, 0.0, 7.0, -2.0})
    EXPECT_TRUE(std::binary_search(range.begin(), range.end(), inside)) << inside;
  // All the mass that double can hold lies within 38 deviations.
  constexpr double kDeviations = 38;
  EXPECT_LE(range.front(), 5 - 3 * kDeviations);
  EXPECT_GE(range.back(), 5 + 3 * kDeviations);
}

TEST(GaussianRange, LeavesOutKinksBeyondItsEnds) {
  const std::vector<double> all = gaussian_range(0, 1, {});
  EXPECT_EQ(gaussian_range(0, 1, {2 * all.back(), 2 * all.front()}), all);
}

}  // namespace
}  // namespace postrider
