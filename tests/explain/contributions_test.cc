#include "explain/contributions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace postrider::internal {
namespace {

// Sums of some hundred numbers of size 10.
constexpr double kRounding = 1e-12;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

using Function = std::function<double(std::span<const double>)>;

// Two members, the first of which says f and the second g; together they say what their shares make of it.
PredictOutcomes said_by(Function f, Function g, double share) {
  return [=](const Inputs& rows) {
    Outcomes out{.quantities = 1};
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      const std::span<const double> inputs = rows.part(row, 1).values();
      const double first = f(inputs), second = g(inputs);
      out.values.push_back(share * first + (1 - share) * second);
      out.of_members.insert(out.of_members.end(), {first, second});
    }
    return out;
  };
}
PredictOutcomes said_by(const Function& f) { return said_by(f, f, 0.5); }

Question question(PlainRows rows, PlainRows baseline, std::size_t orders) {
  Question out{std::move(rows), std::move(baseline), {}, {0.5, 0.5}, orders, 3};
  for (std::size_t k = 0; k < out.rows.columns; ++k) out.groups.push_back({k});
  return out;
}

// The mean over all d! orders of what a group adds when it is changed, one order after the other.
std::vector<double> by_all_orders(const Question& asked, std::size_t row, const Function& f) {
  std::vector<double> out(asked.groups.size());
  for (std::size_t base = 0; base < asked.baseline.count(); ++base) {
    std::vector<std::size_t> order(asked.groups.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<double> sums(order.size());
    double orders = 0;
    do {
      std::vector<double> at(asked.baseline.row(base).begin(), asked.baseline.row(base).end());
      double before = f(at);
      for (const std::size_t group : order) {
        for (const std::size_t k : asked.groups[group]) at[k] = asked.rows.row(row)[k];
        const double after = f(at);
        sums[group] += after - before;
        before = after;
      }
      ++orders;
    } while (std::next_permutation(order.begin(), order.end()));
    for (std::size_t g = 0; g < sums.size(); ++g)
      out[g] += sums[g] / orders / static_cast<double>(asked.baseline.count());
  }
  return out;
}

double tangled(std::span<const double> x) {
  return x[0] * x[1] * x[2] + std::sin(3 * x[3]) * x[0] + std::max(x[1], x[4]) - x[2] * x[2];
}

const PlainRows kRows{{1.5, -0.5, 2.0, 0.3, 1.0, -1.0, 0.7, 0.2, 2.0, -0.4}, 5};
const PlainRows kBaseline{{0.1, 0.2, 0.3, 0.4, 0.5, -2.0, 1.0, 0.5, 0.0, 1.0}, 5};

TEST(Contributions, WithEnoughOrdersAreThoseOfAllOrders) {
  const Question asked =
      question(kRows, kBaseline, 8);  // 2^5 - 2 subsets are fewer than 2 8 4 rows
  const Contributions found = contributions_of(asked, said_by(tangled));
  for (std::size_t row = 0; row < 2; ++row) {
    const std::vector<double> expected = by_all_orders(asked, row, tangled);
    for (std::size_t g = 0; g < 5; ++g)
      EXPECT_NEAR(found.values[row * 5 + g], expected[g], kRounding) << row << " " << g;
  }
}

TEST(Contributions, OneOrderAndItsOppositeAreExactForFunctionsOfTwoColumns) {
  const Function f = [](std::span<const double> x) {
    return std::exp(x[0]) + x[1] * x[2] - 3 * x[1] * x[4] + std::max(x[0], x[3]);
  };
  const Question asked = question(kRows, kBaseline, 1);
  const Contributions found = contributions_of(asked, said_by(f));
  for (std::size_t row = 0; row < 2; ++row) {
    const std::vector<double> expected = by_all_orders(asked, row, f);
    for (std::size_t g = 0; g < 5; ++g)
      EXPECT_NEAR(found.values[row * 5 + g], expected[g], kRounding) << row << " " << g;
  }
}

TEST(Contributions, AddUpWhateverTheOrders) {
  for (const std::size_t orders : {1, 2, 3, 50}) {
    const Contributions found =
        contributions_of(question(kRows, kBaseline, orders), said_by(tangled));
    const double base = 0.5 * (tangled(kBaseline.row(0)) + tangled(kBaseline.row(1)));
    ASSERT_EQ(found.baseline.size(), 1u);
    EXPECT_NEAR(found.baseline[0], base, kRounding);
    for (std::size_t row = 0; row < 2; ++row) {
      EXPECT_EQ(found.predictions[row], tangled(kRows.row(row)));
      const auto first = found.values.begin() + static_cast<std::ptrdiff_t>(row * 5);
      EXPECT_NEAR(std::accumulate(first, first + 5, 0.0), found.predictions[row] - base, kRounding);
    }
  }
}

TEST(Contributions, InputsOfAGroupMoveTogether) {
  Question asked = question(kRows, kBaseline, 1);
  asked.groups = {{0, 3}, {1, 2, 4}};
  const Contributions found = contributions_of(asked, said_by(tangled));
  for (std::size_t row = 0; row < 2; ++row) {
    const std::vector<double> expected = by_all_orders(asked, row, tangled);
    for (std::size_t g = 0; g < 2; ++g)
      EXPECT_NEAR(found.values[row * 2 + g], expected[g], kRounding) << row << " " << g;
  }
}

TEST(Contributions, OfColumnsThatAreEqualAreZeroAndCostNothing) {
  const PlainRows row{{1, kNaN, 2}, 3}, base{{0, kNaN, 2}, 3};
  std::size_t predicted = 0;
  const Contributions found = contributions_of(question(row, base, 4), [&](const Inputs& rows) {
    predicted += rows.rows();
    return said_by([](std::span<const double> x) { return 5 * x[0] + x[2]; })(rows);
  });
  EXPECT_EQ(found.values, (std::vector<double>{5, 0, 0}));
  EXPECT_EQ(predicted, 2u);  // the row and the baseline
}

TEST(Contributions, DoNotDependOnWhatElseIsExplained) {
  const Contributions both = contributions_of(question(kRows, kBaseline, 1), said_by(tangled));
  const PlainRows second{{kRows.values.begin() + 5, kRows.values.end()}, 5};
  const Contributions alone = contributions_of(question(second, kBaseline, 1), said_by(tangled));
  EXPECT_EQ(alone.values, std::vector<double>(both.values.begin() + 5, both.values.end()));
}

TEST(Contributions, OfManyColumnsAreCutIntoSeveralCalls) {
  PlainRows row{std::vector<double>(3000, 1.0), 3000}, base{std::vector<double>(3000), 3000};
  const auto sum = [](std::span<const double> x) {
    return std::accumulate(x.begin(), x.end(), 0.0) + x[17] * x[1017];
  };
  const Contributions found = contributions_of(question(row, base, 1), said_by(sum));
  EXPECT_NEAR(found.values[5], 1, kRounding);
  EXPECT_NEAR(found.values[17], 1.5, kRounding);
  EXPECT_NEAR(found.values[1017], 1.5, kRounding);
}

// Members say 2 x and 6 x with the shares 3/4 and 1/4: 3 x together, with a standard deviation of sqrt(3/4 1 + 1/4 9) x.
TEST(Contributions, SpreadIsThatOfMembersByTheirShares) {
  Question asked = question({{2.0}, 1}, {{1.0}, 1}, 1);
  asked.shares = {0.75, 0.25};
  const Contributions found = contributions_of(
      asked, said_by([](auto x) { return 2 * x[0]; }, [](auto x) { return 6 * x[0]; }, 0.75));
  EXPECT_NEAR(found.values[0], 3, kRounding);
  EXPECT_NEAR(found.spread[0], std::sqrt(3.0), kRounding);
}

}  // namespace
}  // namespace postrider::internal
