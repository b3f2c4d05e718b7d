#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.h"
#include "complaint.h"
#include "estimator/conformal_scores.h"

namespace postrider {
using namespace internal;
namespace {

constexpr double kClose = 1e-9;
constexpr std::size_t kRows = 1000;

// Predicted deviations are so many times too small.
void observe(StreamReach& reach, double scale, std::size_t rows, RandomStream& random) {
  for (std::size_t i = 0; i < rows; ++i) reach.observe(scale * std::abs(random.normal()), 1);
}

// How many of so many rows each level's interval held, as it was before the row.
std::vector<double> held_shares(StreamReach& reach, double scale, RandomStream& random) {
  std::vector<double> out(StreamReach::kLevels.size());
  for (std::size_t i = 0; i < kRows; ++i) {
    const double score = scale * std::abs(random.normal());
    for (std::size_t k = 0; k < out.size(); ++k)
      out[k] += (score <= reach.reach(StreamReach::kLevels[k]) ? 1.0 : 0.0) / kRows;
    reach.observe(score, 1);
  }
  return out;
}

// The share differs from the level by (q now - q then)/(s n), s n being 20: q wanders by no more than 0.4.
constexpr double kOfThousand = 0.02;

// The reach of a high level comes down by s (1 - L) with every row: of 0.995 from the Gaussian's to a third of it in some
// twenty thousand.
constexpr std::size_t kLong = 30000;

TEST(StreamReach, IntervalsComeToHoldTheirShareHoweverFarRowsLie) {
  for (const double scale : {0.3, 1.0, 2.0}) {
    RandomStream random(7, 0);
    StreamReach reach{LeftOutScores()};
    observe(reach, scale, kLong, random);
    const std::vector<double> held = held_shares(reach, scale, random);
    for (std::size_t k = 0; k < held.size(); ++k)
      EXPECT_NEAR(held[k], StreamReach::kLevels[k], kOfThousand) << "scale " << scale;
  }
}

TEST(StreamReach, IntervalsFollowRowsThatChange) {
  RandomStream random(7, 1);
  StreamReach reach{LeftOutScores()};
  observe(reach, 0.5, 5 * kRows, random);
  // The rows from here on lie three times as far: it takes (q now - q then)/s rows that are missed.
  observe(reach, 1.5, kRows, random);
  const std::vector<double> held = held_shares(reach, 1.5, random);
  for (std::size_t k = 0; k < held.size(); ++k)
    EXPECT_NEAR(held[k], StreamReach::kLevels[k], kOfThousand);
}

// The formula of the header, with steps of 0.02 after the first eighty rows, and 2/(20 + rows) before.
TEST(StreamReach, ARowMovesEachReachByTheFormula) {
  std::vector<double> numbers = StreamReach(LeftOutScores()).numbers();
  RandomStream random(7, 2);
  StreamReach reach{LeftOutScores()};
  for (std::size_t i = 0; i < 200; ++i) {
    const double score = 1.5 * std::abs(random.normal()), weight = i % 3 == 0 ? 0.5 : 1;
    const double step = weight * std::max(0.02, 2 / (20 + numbers.back()));
    for (std::size_t k = 0; k < StreamReach::kLevels.size(); ++k) {
      const double moved = (score > numbers[k] ? 1 : 0) - (1 - StreamReach::kLevels[k]);
      numbers[k] = std::min(8.0, std::max(0.0, numbers[k] + step * moved));
    }
    numbers.back() += weight;
    reach.observe(score, weight);
    const std::vector<double> found = reach.numbers();
    ASSERT_EQ(found.size(), numbers.size());
    for (std::size_t k = 0; k < found.size(); ++k) ASSERT_NEAR(found[k], numbers[k], kClose);
  }
}

TEST(StreamReach, ItBeginsWithWhatRowsToldThatWereLeftOut) {
  std::vector<double> drawn;
  RandomStream random(7, 3);
  for (int i = 0; i < 500; ++i) drawn.push_back(1.7 * std::abs(random.normal()));
  const LeftOutScores scores(drawn);
  const StreamReach reach(scores), without{LeftOutScores()};
  for (const double level : StreamReach::kLevels) {
    EXPECT_NEAR(reach.reach(level), scores.reach(level), kClose);
    EXPECT_NEAR(without.reach(level), gaussian_reach(level), kClose);
  }
  EXPECT_EQ(reach.numbers().back(), 500);
  EXPECT_EQ(without.numbers().back(), 0);
  // Between them, too.
  for (double level = 0.01; level < 1; level += 0.01)
    EXPECT_NEAR(without.reach(level), gaussian_reach(level), kClose);
}

TEST(StreamReach, LevelsAreThoseOfTheReach) {
  RandomStream random(7, 4);
  StreamReach reach{LeftOutScores()};
  observe(reach, 0.7, 300, random);
  double before = 0;
  for (double level = 0.005; level < 0.999; level += 0.005) {
    const double found = reach.reach(level);
    EXPECT_GE(found, before) << "a wider interval is never shorter";
    // Where the reach stands still there is no inverse.
    if (found > before + 1e-6) {
      EXPECT_NEAR(reach.level_of(found), level, 1e-6);
    }
    before = found;
  }
  EXPECT_NEAR(reach.level_of(0), 0, kClose);
  EXPECT_GT(reach.level_of(7.9), 0.999);
}

TEST(StreamReach, NumbersAreAllThereIs) {
  RandomStream random(7, 5);
  StreamReach reach{LeftOutScores()};
  observe(reach, 1.3, 50, random);
  StreamReach again(reach.numbers());
  EXPECT_EQ(again.numbers(), reach.numbers());
  for (StreamReach* each : {&reach, &again}) each->observe(2.5, 1);
  EXPECT_EQ(again.numbers(), reach.numbers());
  EXPECT_EQ(reach.numbers().size(), StreamReach::kNumbers);
}

TEST(StreamReach, NonsenseIsRefused) {
  const std::vector<double> good = StreamReach(LeftOutScores()).numbers();
  const auto refusal = [&](std::size_t at, double by) {
    std::vector<double> numbers = good;
    numbers[at] = by;
    return complaint([&] { StreamReach{std::span<const double>(numbers)}; });
  };
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN(),
                   kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(refusal(0, good[0]), "no complaint");
  for (const double bad : {kNan, kInfinity, -0.1, 8.1})
    EXPECT_NE(refusal(3, bad).find("stream.reach"), std::string::npos) << bad;
  for (const double bad : {kNan, kInfinity, -1.0})
    EXPECT_NE(refusal(good.size() - 1, bad).find("stream.reach"), std::string::npos) << bad;
  const std::vector<double> shorter(good.begin(), good.end() - 1);
  EXPECT_NE(complaint([&] { StreamReach{std::span<const double>(shorter)}; }).find("stream.reach"),
            std::string::npos);
}

}  // namespace
}  // namespace postrider
