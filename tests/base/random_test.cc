#include "base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <set>
#include <vector>

namespace postrider {
using namespace internal;
namespace {

// All seeds are fixed, so a test of a distribution passes always or never. It fails for a correct
// generator with this probability over the choice of the seed.
constexpr double kFalseAlarm = 1e-6;

// Kolmogorov's bound: a correct generator of n numbers in [0, 1) has a larger distance between
// empirical and exact distribution with probability 2 exp(-2 n d^2) (Massart's inequality).
double accepted_distance(std::size_t n) {
  return std::sqrt(std::log(2 / kFalseAlarm) / (2 * static_cast<double>(n)));
}

double distance_to_uniform(std::vector<double> sample) {
  std::sort(sample.begin(), sample.end());
  const auto n = static_cast<double>(sample.size());
  double distance = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const auto rank = static_cast<double>(i);
    distance = std::max({distance, sample[i] - rank / n, (rank + 1) / n - sample[i]});
  }
  return distance;
}

void expect_uniform(const std::function<double()>& draw) {
  constexpr std::size_t kDraws = 100'000;
  std::vector<double> sample(kDraws);
  std::generate(sample.begin(), sample.end(), draw);
  EXPECT_LT(distance_to_uniform(sample), accepted_distance(kDraws));
}

// Joined from the known answers of Philox for counter 0 and key 0, low word first.
TEST(RandomStream, BitsAreThoseOfPhilox) {
  RandomStream stream(0, 0);
  EXPECT_EQ(stream.next_bits(), 0xe169c58d6627e8d5U);
  EXPECT_EQ(stream.next_bits(), 0x9b00dbd8bc57ac4cU);
}

TEST(RandomStream, SeedStreamAndPositionAllMatter) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed : {0ULL, 1ULL, 1ULL << 32}) {
    for (std::uint64_t stream : {0ULL, 1ULL, 1ULL << 32}) {
      RandomStream random(seed, stream);
      for (int i = 0; i < 4; ++i) seen.insert(random.next_bits());
    }
  }
  EXPECT_EQ(seen.size(), 3U * 3U * 4U);
}

TEST(RandomStream, SkipEqualsDrawing) {
  for (std::uint64_t before : {0U, 1U, 2U}) {
    for (std::uint64_t draws : {0U, 1U, 2U, 3U, 1000U, 1001U}) {
      RandomStream drawn(7, 3);
      for (std::uint64_t i = 0; i < before; ++i) drawn.next_bits();
      RandomStream skipped = drawn;
      for (std::uint64_t i = 0; i < draws; ++i) drawn.next_bits();
      skipped.skip(draws);
      EXPECT_EQ(skipped.next_bits(), drawn.next_bits()) << before << " then " << draws;
    }
  }
}

TEST(RandomStream, NormalTakesTwoDraws) {
  RandomStream drawn(7, 3);
  RandomStream skipped = drawn;
  drawn.normal();
  skipped.skip(2);
  EXPECT_EQ(skipped.next_bits(), drawn.next_bits());
}

TEST(RandomStream, UniformIsUniform) {
  RandomStream random(1, 0);
  expect_uniform([&] { return random.uniform(); });
  expect_uniform([&] { return (random.uniform(-3, 5) + 3) / 8; });
}

TEST(RandomStream, UniformWithoutWidthIsAPoint) {
  RandomStream random(1, 0);
  EXPECT_EQ(random.uniform(2.5, 2.5), 2.5);
  EXPECT_EQ(random.log_uniform(0.1, 0.1), 0.1);
}

TEST(RandomStream, LogUniformHasUniformLogarithm) {
  RandomStream random(2, 0);
  const double low = std::log(1e-8);
  const double high = std::log(1e4);
  expect_uniform([&] { return (std::log(random.log_uniform(1e-8, 1e4)) - low) / (high - low); });
}

TEST(RandomStream, LogUniformStaysInside) {
  RandomStream random(2, 1);
  const double low = 0.1;
  const double high = std::nextafter(low, 1.0);
  for (int i = 0; i < 1000; ++i) {
    const double value = random.log_uniform(low, high);
    EXPECT_GE(value, low);
    EXPECT_LE(value, high);
  }
}

TEST(RandomStream, NormalIsNormal) {
  RandomStream random(3, 0);
  const boost::math::normal standard;
  expect_uniform([&] { return boost::math::cdf(standard, random.normal()); });
}

TEST(RandomStream, BelowIsUniform) {
  constexpr std::uint64_t kBound = 7;
  constexpr int kDraws = 70'000;
  std::vector<int> counts(kBound);
  RandomStream random(4, 0);
  for (int i = 0; i < kDraws; ++i) ++counts.at(random.below(kBound));
  const double expected = static_cast<double>(kDraws) / kBound;
  double chi_squared = 0;
  for (int count : counts) chi_squared += (count - expected) * (count - expected) / expected;
  const boost::math::chi_squared distribution(kBound - 1.0);
  EXPECT_LT(chi_squared, boost::math::quantile(boost::math::complement(distribution, kFalseAlarm)));
}

// With a bound of 3/4 of 2^64, `bits % bound` alone would give results below 1/4 of 2^64 twice as
// often as the others: half of the time instead of a third.
TEST(RandomStream, BelowHasNoBiasForLargeBounds) {
  constexpr std::uint64_t kBound = std::uint64_t{3} << 62;
  RandomStream random(5, 0);
  expect_uniform([&] { return static_cast<double>(random.below(kBound)) / 0x3p62; });
}

TEST(RandomStream, BelowOneIsZero) {
  RandomStream random(6, 0);
  EXPECT_EQ(random.below(1), 0U);
}

TEST(RandomStreamDeathTest, RangesMustMakeSense) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  RandomStream random(0, 0);
  EXPECT_DEATH(random.uniform(1, 0), "low <= high");
  EXPECT_DEATH(random.uniform(0, std::numeric_limits<double>::quiet_NaN()), "low <= high");
  EXPECT_DEATH(random.log_uniform(0, 1), "0 < low");
  EXPECT_DEATH(random.below(0), "bound > 0");
}

}  // namespace
}  // namespace postrider
