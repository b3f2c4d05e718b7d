#include "drift/rate_bank.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "base/random.h"
#include "postrider/error.h"

namespace postrider {
using namespace internal;
namespace {

constexpr double kRounding = 1e-12;
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kNone = -std::numeric_limits<double>::infinity();
constexpr std::size_t kRates = 3, kRows = 6;

using Rows = std::vector<std::vector<double>>;

Rows random_rows(std::uint64_t stream) {
  RandomStream random(3, stream);
  Rows out(kRows, std::vector<double>(kRates));
  for (std::vector<double>& row : out)
    for (double& each : row) each = random.uniform(-4, 1);
  return out;
}

// Every way through the rates, one for each row and one for the row to come: the chain's prior times the
// densities. Nothing is shared with the recursion but the model.
struct Enumerated {
  std::vector<double> weights = std::vector<double>(kRates);  // of the row to come
  double evidence = 0;                                        // of all rows
};

Enumerated enumerated(const Rows& rows, double share, double power) {
  Enumerated out;
  const auto ways = static_cast<std::size_t>(std::pow(kRates, rows.size() + 1));
  for (std::size_t way = 0; way < ways; ++way) {
    std::size_t rest = way, before = kRates;
    double density = 1.0 / kRates;
    std::size_t at = 0;
    for (std::size_t row = 0; row <= rows.size(); ++row) {
      at = rest % kRates;
      rest /= kRates;
      if (row > 0) density *= (at == before ? 1 - share : 0) + share / kRates;
      if (row < rows.size()) density *= std::exp(power * rows[row][at]);
      before = at;
    }
    out.weights[at] += density;
    out.evidence += density;
  }
  for (double& weight : out.weights) weight /= out.evidence;
  return out;
}

TEST(RateBank, IsThePosteriorOfAChainOfRates) {
  for (const double share : {0.0, 0.01, 0.3, 1.0}) {
    const Rows rows = random_rows(1);
    RateBank bank(kRates, share);
    double log_density = 0;
    for (const std::vector<double>& row : rows) log_density += bank.observe(row);
    const Enumerated expected = enumerated(rows, share, 1);
    for (std::size_t k = 0; k < kRates; ++k)
      EXPECT_NEAR(bank.weights()[k], expected.weights[k], kRounding);
    EXPECT_NEAR(log_density, std::log(expected.evidence), kRounding);
  }
}

TEST(RateBank, RaisesDensitiesToAPowerForTheWeightsOnly) {
  constexpr double kPower = 0.25, kShare = 0.05;
  const Rows rows = random_rows(2);
  RateBank bank(kRates, kShare);
  for (const std::vector<double>& row : rows) {
    const std::vector<double> before = bank.weights();
    double mixed = 0;
    for (std::size_t k = 0; k < kRates; ++k) mixed += before[k] * std::exp(row[k]);
    EXPECT_NEAR(bank.observe(row, kPower), std::log(mixed), kRounding);
  }
  const Enumerated expected = enumerated(rows, kShare, kPower);
  for (std::size_t k = 0; k < kRates; ++k)
    EXPECT_NEAR(bank.weights()[k], expected.weights[k], kRounding);
}

TEST(RateBank, LetsARateComeBack) {
  RateBank bank(2);
  for (int row = 0; row < 10000; ++row) bank.observe(std::vector{0.0, -1.0});
  EXPECT_GE(bank.weights()[1], 0.5 * RateBank::kShare);
  int needed = 0;
  for (; bank.weights()[1] < 0.5; ++needed) bank.observe(std::vector{-1.0, 0.0});
  // From share/2 the odds grow by e each row.
  EXPECT_LE(needed, std::ceil(std::log(2 / RateBank::kShare)) + 1);
}

TEST(RateBank, SurvivesDensitiesFarBelowAnyNumber) {
  RateBank bank(2, 0.1);
  const double found = bank.observe(std::vector{-2000.0, -2001.0});
  EXPECT_NEAR(found, -2000 + std::log(0.5 * (1 + std::exp(-1))), 1e-9);
  EXPECT_NEAR(bank.weights()[0], 0.9 / (1 + std::exp(-1)) + 0.05, kRounding);
}

TEST(RateBank, TakesWhatIsNotANumberForNoDensity) {
  RateBank bank(2, 0.1);
  EXPECT_NEAR(bank.observe(std::vector{kNotANumber, -1.0}), -1 + std::log(0.5), kRounding);
  EXPECT_NEAR(bank.weights()[0], 0.05, kRounding);
  const std::vector<double> before = bank.weights();
  EXPECT_EQ(bank.observe(std::vector{kNone, kNotANumber}), kNone);
  EXPECT_EQ(bank.weights(), before);
  RateBank certain(std::vector{1.0, 0.0}, 0.0);
  EXPECT_EQ(certain.observe(std::vector{kNone, 0.0}), kNone);
  EXPECT_EQ(certain.weights(), (std::vector{1.0, 0.0}));
}

TEST(RateBank, GoesOnFromItsWeights) {
  const Rows rows = random_rows(4);
  RateBank whole(kRates);
  for (const std::vector<double>& row : rows) whole.observe(row);
  RateBank half(kRates);
  for (std::size_t row = 0; row < kRows / 2; ++row) half.observe(rows[row]);
  RateBank resumed(half.weights());
  for (std::size_t row = kRows / 2; row < kRows; ++row) resumed.observe(rows[row]);
  EXPECT_EQ(resumed.weights(), whole.weights());
}

TEST(RateBank, RefusesWhatCannotBe) {
  EXPECT_THROW(RateBank(2, -0.1), InvalidArgument);
  EXPECT_THROW(RateBank(2, 1.1), InvalidArgument);
  EXPECT_THROW(RateBank(2, kNotANumber), InvalidArgument);
  EXPECT_THROW(RateBank(std::vector{0.5, 0.4}), InvalidArgument);
  EXPECT_THROW(RateBank(std::vector{1.5, -0.5}), InvalidArgument);
  EXPECT_THROW(RateBank(std::vector{kNotANumber, 1.0}), InvalidArgument);
  EXPECT_THROW(RateBank(std::vector<double>{}), InvalidArgument);
}

}  // namespace
}  // namespace postrider
