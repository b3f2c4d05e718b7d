#include "estimator/outlooks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "estimator/dense.h"

namespace postrider {
namespace {

constexpr double kClose = 1e-9;

FittedModel model_of(ModelKind kind, std::size_t members, std::size_t outputs,
                     std::vector<double> noise) {
  const std::size_t targets = kind == ModelKind::varying_noise ? outputs / 2 : outputs;
  FittedModel out{
      kind,
      untrained_members(members, {{2}, Activation::leaky_relu, 0.05, Precision::float32, 1}, 1,
                        outputs),
      {},
      TargetScales(Scales{std::vector<double>(targets), std::vector<double>(targets, 1)})};
  for (std::size_t m = 0; m < members; ++m) {
    out.members[m].noise_variance = noise;
    for (double& each : out.members[m].noise_variance) each *= static_cast<double>(m + 1);
  }
  return out;
}

TEST(Outlooks, MembersOfAPlaceAreTogether) {
  const FittedModel model = model_of(ModelKind::regressor, 2, 2, {0.1, 0.2});
  const std::vector<OutputRows> members{{{1, 2, 3, 4}, {.1, .2, .3, .4}},
                                        {{5, 6, 7, 8}, {.5, .6, .7, .8}}};
  const std::vector<Outlook> out = outlooks_of(model, members);
  ASSERT_EQ(out.size(), 8U);
  // The second row's second target by the second member.
  EXPECT_EQ(out[7].mean, 8);
  EXPECT_EQ(out[7].variance, 0.8);
  EXPECT_EQ(out[7].scale, 0.4);
  EXPECT_FALSE(out[7].varies);
  EXPECT_EQ(out[6].mean, 4);
  EXPECT_EQ(out[1].mean, 5);
}

TEST(Outlooks, TheLogarithmOfVaryingNoiseIsTheSecondHalfOfTheOutputsAndBounded) {
  const FittedModel model = model_of(ModelKind::varying_noise, 1, 4, {0.5});
  const std::vector<OutputRows> members{{{1, 2, 3, 40}, {.1, .2, .3, 50}}};
  const std::vector<Outlook> out = outlooks_of(model, members);
  ASSERT_EQ(out.size(), 2U);
  EXPECT_EQ(out[0].log_mean, 3);
  EXPECT_EQ(out[0].log_variance, 0.3);
  EXPECT_EQ(out[1].mean, 2);
  EXPECT_EQ(out[1].log_mean, 8);
  EXPECT_EQ(out[1].log_variance, 1);
  EXPECT_EQ(out[1].scale, 0.5);
}

TEST(Outlooks, ScoresAreDistancesFromWhatWasPredictedWithoutTheRow) {
  const FittedModel model = model_of(ModelKind::regressor, 1, 2, {0.75, 3});
  // Standard deviations of an observation: 1 and 2.
  const std::vector<OutputRows> members{{{0, 0, 1, 1, 2, 2}, {.25, 1, .25, 1, .25, 1}}};
  const std::vector<double> targets{3, 4, 1.5, std::nan(""), 1, 2};
  const std::vector<LeftOutScores> out = left_out_scores(model, members, targets, {});
  ASSERT_EQ(out.size(), 2U);
  ASSERT_EQ(out[0].kept().size(), 3U);
  EXPECT_NEAR(out[0].kept()[0], 0.5, kClose);
  EXPECT_NEAR(out[0].kept()[1], 1, kClose);
  EXPECT_NEAR(out[0].kept()[2], 3, kClose);
  ASSERT_EQ(out[1].kept().size(), 2U) << "one is missing";
  EXPECT_NEAR(out[1].kept()[0], 0, kClose);
  EXPECT_NEAR(out[1].kept()[1], 2, kClose);
}

TEST(Outlooks, ThereAreNoScoresIfAMemberDidNotLeaveRowsOut) {
  const FittedModel model = model_of(ModelKind::regressor, 2, 1, {0.5});
  const std::vector<OutputRows> members{{{0}, {1}}, {}};
  EXPECT_TRUE(left_out_scores(model, members, std::vector<double>{1}, {}).empty());
}

}  // namespace
}  // namespace postrider
