#include "estimator/unknown_inputs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.h"
#include "estimator/predictive.h"
#include "postrider/regressor.h"

namespace postrider {
using namespace internal;
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr double kFirst = 3, kSecond = -1, kNoise = 0.2;

struct Rows {
  std::vector<double> inputs, targets;
};

// Two columns with standard deviation 1, of which the first matters most.
Rows plane(std::size_t count, std::uint64_t seed) {
  RandomStream random(seed, 0);
  Rows out;
  for (std::size_t i = 0; i < count; ++i) {
    const double a = random.normal(), b = random.normal();
    out.inputs.insert(out.inputs.end(), {a, b});
    out.targets.push_back(kFirst * a + kSecond * b + kNoise * random.normal());
  }
  return out;
}

Regressor trained() {
  const Rows rows = plane(300, 1);
  Regressor out({.hidden = {20}, .encoding = Encoding::standard});
  out.fit(rows.inputs, rows.targets);
  return out;
}

double deviation(const Regressor& model, std::vector<double> row) {
  return std::sqrt(model.predict(row).variance.front());
}

TEST(UnknownInputs, LeaveOpenWhatTheyWouldSay) {
  const Regressor model = trained();
  EXPECT_NEAR(deviation(model, {kMissing, 0.3}), std::hypot(kFirst, kNoise), 0.3);
  EXPECT_NEAR(deviation(model, {0.3, kMissing}), std::hypot(kSecond, kNoise), 0.15);
  EXPECT_NEAR(deviation(model, {kMissing, kMissing}), std::hypot(kFirst, kSecond, kNoise), 0.3);
}

TEST(UnknownInputs, IntervalsOfRowsThatLackAColumnHold) {
  const Regressor model = trained();
  for (const std::size_t lacking : {0U, 1U}) {
    Rows test = plane(1000, 2);
    for (std::size_t i = lacking; i < test.inputs.size(); i += 2) test.inputs[i] = kMissing;
    const Distributions found = model.distributions(test.inputs);
    const std::vector<double> ends = found.intervals(0.9);
    std::size_t held = 0;
    for (std::size_t i = 0; i < test.targets.size(); ++i)
      if (ends[2 * i] <= test.targets[i] && test.targets[i] <= ends[2 * i + 1]) ++held;
    EXPECT_GT(held, 860U) << "without column " << lacking;
    EXPECT_LT(held, 950U) << "without column " << lacking;
  }
}

TEST(UnknownInputs, RowsThatLackNothingAreAsTheyWere) {
  const Regressor model = trained();
  const std::vector<double> whole{0.5, -0.2}, both{0.5, -0.2, kMissing, 1.0};
  EXPECT_EQ(model.predict(both).variance.front(), model.predict(whole).variance.front());
  EXPECT_EQ(model.predict(both).mean.front(), model.predict(whole).mean.front());
}

// The scale is that of beliefs, which more rows would make sure: a missing number stays missing.
TEST(UnknownInputs, AreNotScaledWithBeliefs) {
  std::vector<Outlook> members{outlook_of(1.0, 5.0, 0.1), outlook_of(3.0, 5.0, 0.1)};
  for (Outlook& member : members) member.from_inputs = 4;
  scale_epistemic(members, 0.5);
  for (const Outlook& member : members) EXPECT_DOUBLE_EQ(member.variance, 0.25 * 1 + 4);
  EXPECT_DOUBLE_EQ(members[0].mean, 1.5);
}

}  // namespace
}  // namespace postrider
