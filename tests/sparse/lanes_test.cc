#include "sparse/lanes.h"

#include <gtest/gtest.h>

#include <cmath>

namespace postrider::internal::hashed {
namespace {

constexpr double kRounding = 1e-12;

TEST(Lanes, SharesAreThoseOfBayes) {
  Bank bank = Bank::usual();
  EXPECT_EQ(bank.lanes, kMostLanes);
  EXPECT_NEAR(bank.prior[0], 0.01, kRounding);
  EXPECT_NEAR(bank.prior[7] / bank.prior[5], 10, 10 * kRounding);
  PerLane log_z{};
  for (std::size_t k = 0; k < kMostLanes; ++k) log_z[k] = -1000 - static_cast<double>(k);
  bank.add(log_z, 2);
  const PerLane shares = bank.shares();
  double sum = 0;
  for (std::size_t k = 0; k < kMostLanes; ++k) sum += std::exp(-2.0 * static_cast<double>(k));
  for (std::size_t k = 0; k < kMostLanes; ++k)
    EXPECT_NEAR(shares[k], std::exp(-2.0 * static_cast<double>(k)) / sum, kRounding);
  double mixed = 0;
  for (std::size_t k = 0; k < kMostLanes; ++k)
    mixed += shares[k] * std::exp(-static_cast<double>(k));
  EXPECT_NEAR(bank.mixed(shares, log_z), -1000 + std::log(mixed), 1000 * kRounding);
}

TEST(Lanes, DriftLosesPrecisionTowardsThePrior) {
  // 1/4 + 0.9 (2 - 1/4).
  EXPECT_NEAR(drifted(0.5, 4.0, 0.1), 1 / (0.25 + 0.9 * 1.75), kRounding);
  EXPECT_EQ(drifted(0.5, 4.0, 0.0), 0.5);
  EXPECT_EQ(drifted(4.0, 4.0, 0.5), 4);
  EXPECT_EQ(drifted(5.0, 4.0, 0.5), 5);  // what knows less than the prior stays
  Bank bank = Bank::drifting();
  EXPECT_TRUE(bank.has_drift());
  EXPECT_FALSE(Bank::usual().has_drift());
  EXPECT_EQ(bank.drift[0], 0);
  bank.add({1, 2}, 1);
  bank.add({1, 2}, 1);
  EXPECT_NEAR(bank.log_score[1], 2 * 0.999 + 2, kRounding);
  bank.keep(std::vector<std::size_t>{7});
  EXPECT_EQ(bank.drift[0], 1e-2);
  EXPECT_EQ(bank.prior[0], 3);
}

TEST(Lanes, KeepsTheFewestThatCount) {
  Bank bank = Bank::usual();
  bank.log_score = {-20, -1, -20, -20, 0, -20, -3, -20};
  EXPECT_EQ(bank.lanes_worth_keeping(0.5, 8), (std::vector<std::size_t>{4}));
  EXPECT_EQ(bank.lanes_worth_keeping(0.1, 8), (std::vector<std::size_t>{1, 4}));
  EXPECT_EQ(bank.lanes_worth_keeping(1e-4, 8), (std::vector<std::size_t>{0, 1, 4, 6}));
  EXPECT_EQ(bank.lanes_worth_keeping(0, 8).size(), 8U);
  EXPECT_EQ(bank.lanes_worth_keeping(0, 1), (std::vector<std::size_t>{4}));
  const double prior = bank.prior[6];
  bank.keep(std::vector<std::size_t>{1, 6});
  EXPECT_EQ(bank.lanes, 2U);
  EXPECT_EQ(bank.prior[1], prior);
  EXPECT_NEAR(bank.shares()[1], 1 / (1 + std::exp(2.0)), kRounding);
  EXPECT_EQ(bank.shares()[2], 0);
}

}  // namespace
}  // namespace postrider::internal::hashed
