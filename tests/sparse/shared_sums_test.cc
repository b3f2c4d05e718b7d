#include "sparse/shared_sums.h"

#include <gtest/gtest.h>

namespace postrider::internal::hashed {
namespace {

constexpr double kRounding = 1e-5;

TEST(SharedSums, WhatWasLearnedIsThereAgain) {
  const auto before = spread_state({.target = sparse::SparseOptions::Target::number}, {});
  sparse::SparseSums sums = no_sums(*before);
  EXPECT_EQ(bits_of(sums), 0xffU);
  restore(sums, *before);
  const auto after = spread_state({.target = sparse::SparseOptions::Target::number}, {});
  restore(sums, *after);
  for (std::size_t k = 0; k < 8; ++k) {
    const auto lane = static_cast<double>(k);
    after->linear.bias.mean[k] = 0.1 * lane;
    after->linear.bias.variance[k] = 1 / (1 + lane);
    after->noise.mean[k] = -0.2 * lane;
    after->noise.variance[k] = 0.3;
    after->bank.log_score[k] = -100 - lane;
  }
  after->rows = 7;
  after->weight = 6.5;
  after->log_loss = 3.25;
  after->linear.inputs += 20;
  ASSERT_TRUE(add(learned_since(sums, *before, *after), sums));
  const auto back = spread_state({.target = sparse::SparseOptions::Target::number}, {});
  restore(sums, *back);
  for (std::size_t k = 0; k < 8; ++k) {
    EXPECT_NEAR(back->linear.bias.mean[k], after->linear.bias.mean[k], kRounding);
    EXPECT_NEAR(back->linear.bias.variance[k], after->linear.bias.variance[k], kRounding);
    EXPECT_NEAR(back->noise.mean[k], after->noise.mean[k], kRounding);
    EXPECT_NEAR(back->noise.variance[k], after->noise.variance[k], kRounding);
    EXPECT_NEAR(back->bank.log_score[k], after->bank.log_score[k], kRounding);
  }
  EXPECT_EQ(back->rows, 7U);
  EXPECT_EQ(back->weight, 6.5);
  EXPECT_EQ(back->log_loss, 3.25);
  EXPECT_EQ(inputs_of(sums), 20);
}

TEST(SharedSums, LanesKeepTheirNumbers) {
  const auto fresh = spread_state({}, {});
  sparse::SparseSums sums = no_sums(*fresh);
  for (std::size_t k = 0; k < 8; ++k) sums[k] = static_cast<std::int64_t>(k + 1) << 20;  // scores
  keep_lanes(0b100100, sums);
  EXPECT_EQ(lanes_in(bits_of(sums)), (std::vector<std::size_t>{2, 5}));
  const auto state = spread_state({}, {});
  restore(sums, *state);
  EXPECT_EQ(state->bank.lanes, 2U);
  EXPECT_EQ(state->bank.log_score[0], 3);
  EXPECT_EQ(state->bank.log_score[1], 6);
  EXPECT_EQ(state->bank.prior[1], fresh->bank.prior[5]);
  EXPECT_EQ(sums[4], 0);
}

TEST(SharedSums, TellsWhatTheyCannotBe) {
  sparse::SparseSums sums = no_sums(*spread_state({}, {}));
  EXPECT_TRUE(are_sums(sums, 8));
  keep_lanes(0b111, sums);
  EXPECT_FALSE(are_sums(sums, 8));
  keep_lanes(0x100, sums);
  EXPECT_FALSE(are_sums(sums, 8));
  keep_lanes(1, sums);
  EXPECT_TRUE(are_sums(sums, 8));
  sums.push_back(0);
  EXPECT_FALSE(are_sums(sums, 8));
}

TEST(SharedSums, AreNotAddedBeyondTheirRange) {
  sparse::SparseSums sums = no_sums(*spread_state({}, {})), more(sums.size());
  sums[3] = 5;
  more[3] = INT64_MAX;
  more[4] = 1;
  EXPECT_FALSE(add(more, sums));
  EXPECT_EQ(sums[4], 0);
}

}  // namespace
}  // namespace postrider::internal::hashed
