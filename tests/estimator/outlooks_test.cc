#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "estimator/dense.h"
#include "estimator/predictive.h"

namespace postrider {
using namespace internal;
namespace {

constexpr double kClose = 1e-9;

FittedModel model_of(ModelKind kind, std::size_t members, std::size_t outputs,
                     std::vector<double> noise) {
  const std::size_t targets = kind == ModelKind::varying_noise ? outputs / 2 : outputs;
  FittedModel out{
      kind,
      untrained_members(
          members, {{2}, network::Activation::leaky_relu, 0.05, network::Precision::float32, 1}, 1,
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
  const std::vector<network::Network::OutputMoments> members{{{1, 2, 3, 4}, {.1, .2, .3, .4}},
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
  const std::vector<network::Network::OutputMoments> members{{{1, 2, 3, 40}, {.1, .2, .3, 50}}};
  const std::vector<Outlook> out = outlooks_of(model, members);
  ASSERT_EQ(out.size(), 2U);
  EXPECT_EQ(out[0].log_mean, 3);
  EXPECT_EQ(out[0].log_variance, 0.3);
  EXPECT_EQ(out[1].mean, 2);
  EXPECT_EQ(out[1].log_mean, 8);
  EXPECT_EQ(out[1].log_variance, 1);
  EXPECT_EQ(out[1].scale, 0.5);
}

TEST(Outlooks, WhatIsDueToBeliefsIsScaledAboutTheMeanOfAll) {
  std::vector<Outlook> members{outlook_of(1, 0.2, 0.5), outlook_of(4, 0.3, 0.6)};
  members[1].share = 2;
  // The mean of all is (1 + 2 x 4)/3 = 3.
  scale_epistemic(members, 0.5);
  EXPECT_NEAR(members[0].mean, 2, kClose);
  EXPECT_NEAR(members[1].mean, 3.5, kClose);
  EXPECT_NEAR(members[0].variance, 0.05, kClose);
  EXPECT_NEAR(members[1].variance, 0.075, kClose);
  EXPECT_EQ(members[0].scale, 0.5) << "the noise stays";
  EXPECT_EQ(members[1].scale, 0.6);
}

TEST(Outlooks, TheModelsScaleIsThatOfEveryPlace) {
  FittedModel model = model_of(ModelKind::regressor, 2, 2, {0.1, 0.2});
  const std::vector<network::Network::OutputMoments> members{{{1, 2, 3, 4}, {.1, .2, .3, .4}},
                                                             {{5, 6, 7, 8}, {.5, .6, .7, .8}}};
  model.epistemic_scale = 0.5;
  const std::vector<Outlook> out = outlooks_of(model, members);
  // The second row's second target: 4 and 8 lie 2 from their mean.
  EXPECT_NEAR(out[6].mean, 5, kClose);
  EXPECT_NEAR(out[7].mean, 7, kClose);
  EXPECT_NEAR(out[7].variance, 0.2, kClose);
  EXPECT_EQ(out[7].scale, 0.4);
  EXPECT_NEAR(out[0].mean, 2, kClose);
}

TEST(Outlooks, RowsOfAStreamHaveTheNoiseAndTheSharesTheyWerePredictedWith) {
  const FittedModel model = model_of(ModelKind::regressor, 2, 2, {0.1, 0.2});
  std::vector<StreamOutcome> members(2);
  members[0].scores.predicted = {{1, 2, 3, 4}, {.1, .2, .3, .4}};
  members[0].scores.noise = {.01, .02, .03, .04};
  members[1].scores.predicted = {{5, 6, 7, 8}, {.5, .6, .7, .8}};
  members[1].scores.noise = {.05, .06, .07, .08};
  const std::vector<double> shares{.9, .1, .4, .6};
  const std::vector<Outlook> out = streamed_outlooks(model, members, shares);
  ASSERT_EQ(out.size(), 8U);
  for (std::size_t row = 0; row < 2; ++row)
    for (std::size_t o = 0; o < 2; ++o)
      for (std::size_t m = 0; m < 2; ++m) {
        const Outlook& found = out[(row * 2 + o) * 2 + m];
        EXPECT_EQ(found.mean, members[m].scores.predicted.mean[row * 2 + o]);
        EXPECT_EQ(found.scale, members[m].scores.noise[row * 2 + o]);
        EXPECT_EQ(found.share, shares[row * 2 + m]);
      }
}

}  // namespace
}  // namespace postrider
