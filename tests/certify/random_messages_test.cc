#include "certify/random_messages.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

namespace postrider::graph {
using namespace internal;
namespace {

using Kind = ExtremeMessages;

constexpr std::size_t kDraws = 40'000;
// A correct generator leaves these bounds with probability 1e-6 over the choice of the seed.
constexpr double kDeviations = 4.9;
// A mean or variance goes through natural parameters and back.
constexpr double kRounding = 1e-12;

std::vector<Gaussian> draw(Gaussian (*message)(RandomStream&), std::uint64_t seed) {
  RandomStream random(seed, 0);
  std::vector<Gaussian> out;
  for (std::size_t i = 0; i < kDraws; ++i) out.push_back(message(random));
  return out;
}

// The share of `of` among the messages that are `among` is binomial with this probability.
void expect_share(double probability, const std::vector<Gaussian>& messages,
                  const std::function<bool(const Gaussian&)>& among,
                  const std::function<bool(const Gaussian&)>& of) {
  double total = 0, hits = 0;
  for (const Gaussian& message : messages) {
    if (!among(message)) continue;
    ++total;
    if (of(message)) ++hits;
  }
  EXPECT_NEAR(hits, probability * total,
              kDeviations * std::sqrt(total * probability * (1 - probability)));
}

bool any(const Gaussian&) { return true; }
bool is_uniform(const Gaussian& m) { return m.is_uniform(); }
bool is_proper(const Gaussian& m) { return m.is_proper(); }
bool is_point_mass(const Gaussian& m) { return m.is_point_mass(); }
bool says_something(const Gaussian& m) { return !m.is_uniform(); }
bool has_mean(const Gaussian& m) { return !m.is_uniform() && m.mean() != 0; }

TEST(ExtremeMessage, ComesInAllStatesInTheirShares) {
  const std::vector<Gaussian> messages = draw(extreme_message, 1);
  expect_share(Kind::kUniform, messages, any, is_uniform);
  expect_share(Kind::kPointMass, messages, any, is_point_mass);
  expect_share(1 - Kind::kUniform - Kind::kPointMass, messages, any, is_proper);
  const auto zero_mean = [](const Gaussian& m) { return m.mean() == 0; };
  expect_share(Kind::kZeroMean, messages, says_something, zero_mean);
  expect_share(Kind::kZeroMean, messages, is_point_mass, zero_mean);
}

TEST(ExtremeMessage, HasAllSizesAndBothSigns) {
  const std::vector<Gaussian> messages = draw(extreme_message, 2);
  expect_share(0.5, messages, has_mean, [](const Gaussian& m) { return m.mean() < 0; });
  for (const double quarter : {1.0, 2.0, 3.0}) {
    const double bound = Kind::kSmallest * std::pow(Kind::kLargest / Kind::kSmallest, quarter / 4);
    expect_share(quarter / 4, messages, has_mean,
                 [=](const Gaussian& m) { return std::abs(m.mean()) < bound; });
    expect_share(quarter / 4, messages, is_proper,
                 [=](const Gaussian& m) { return m.variance() < bound; });
  }
  for (const Gaussian& message : messages) {
    if (!message.is_proper()) continue;
    EXPECT_GE(message.variance(), Kind::kSmallest * (1 - kRounding));
    EXPECT_LE(message.variance(), Kind::kLargest * (1 + kRounding));
  }
}

TEST(ModerateMessage, StaysWhereQuadratureIsAtItsBest) {
  const std::vector<Gaussian> messages = draw(moderate_message, 3);
  for (const Gaussian& message : messages) {
    ASSERT_TRUE(message.is_proper());
    EXPECT_LE(std::abs(message.mean()), 3 * (1 + kRounding));
    EXPECT_GE(message.variance(), 0.05 * (1 - kRounding));
    EXPECT_LE(message.variance(), 20 * (1 + kRounding));
  }
  expect_share(1.0 / 6, messages, any, [](const Gaussian& m) { return m.mean() > 2; });
  // The logarithm is uniform, so half lie below the geometric mean of 0.05 and 20, which is 1.
  expect_share(0.5, messages, any, [](const Gaussian& m) { return m.variance() < 1; });
}

TEST(RandomMessages, AreAFunctionOfTheSeed) {
  EXPECT_EQ(draw(extreme_message, 4), draw(extreme_message, 4));
  EXPECT_NE(draw(extreme_message, 4), draw(extreme_message, 5));
  EXPECT_EQ(draw(moderate_message, 4), draw(moderate_message, 4));
  EXPECT_NE(draw(moderate_message, 4), draw(moderate_message, 5));
}

}  // namespace
}  // namespace postrider::graph
