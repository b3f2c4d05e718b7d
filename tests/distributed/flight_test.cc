#include <gtest/gtest.h>

#include "distributed/distributed_training.h"

namespace postrider::distributed {
using namespace internal;
namespace {

TEST(Flight, FewRowsAreInFlightEarlyOn) {
  const Flight flight(0.01, 10000, 1);
  EXPECT_EQ(flight.size(0), 1U);
  EXPECT_EQ(flight.size(640), 10U);
  EXPECT_EQ(flight.size(100000), 100U);
  EXPECT_EQ(Flight(0.01, 10000, 8).size(6400), 12U);
}

RoundStatistics scored(double log_likelihood, std::uint64_t rows) {
  RoundStatistics out;
  out.log_likelihood = log_likelihood * static_cast<double>(rows);
  out.squares = (log_likelihood * log_likelihood + 1) * static_cast<double>(rows);
  out.rows = rows;
  return out;
}

// The same rows are compared from epoch to epoch: that some of them are harder than others is no fall.
TEST(Flight, IsHalvedWhereScoresFallByMoreThanChance) {
  constexpr std::uint64_t kSeen = 1000000;
  Flight flight(0.5, 8000, 1);
  const auto epoch = [&](double change) {
    for (int window = 0; window < 8; ++window)
      flight.watch(scored(-1.0 * window + change, 1000), kSeen);
    flight.end_epoch();
  };
  for (const double change : {0.0, 0.5, 0.48, 0.6}) epoch(change);
  EXPECT_EQ(flight.halved(), 0U);
  flight.watch(scored(0.1, 1000), kSeen);
  EXPECT_EQ(flight.halved(), 1U);
  EXPECT_EQ(flight.size(kSeen), 2000U);
}

TEST(Flight, WhatIsHarmlessIsNotHalvedByScores) {
  Flight flight(0.004, 8000, 1);
  for (int epoch = 0; epoch < 4; ++epoch) {
    for (int window = 0; window < 8; ++window) flight.watch(scored(-epoch, 1000), 1000000);
    flight.end_epoch();
  }
  EXPECT_EQ(flight.halved(), 0U);
}

TEST(Flight, CannotBeHalvedForEver) {
  Flight flight(0.5, 8, 1);
  EXPECT_TRUE(flight.halve(1000));
  EXPECT_TRUE(flight.halve(1000));
  EXPECT_FALSE(flight.halve(1000));
}

}  // namespace
}  // namespace postrider::distributed
