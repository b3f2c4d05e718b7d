#include "estimator/model_bounds.h"

#include <gtest/gtest.h>

#include <limits>

#include "network/network_state.h"

namespace postrider {
using namespace internal;
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

FittedModel sound(network::Precision precision = network::Precision::float32) {
  network::NetworkOptions options = network::NetworkOptions::dense(1, {2});
  options.precision = precision;
  return {ModelKind::regressor,
          {{network::Network(options), {0.5}}},
          {{0}, {1}},
          TargetScales(Scales{{0}, {1}})};
}

template <class T>
NetworkArrays<T>& arrays_of(FittedModel& model) {
  return std::get<NetworkArrays<T>>(inside_of(model.members.front().network).arrays);
}

TEST(ModelBounds, AModelIsWithinThem) {
  EXPECT_EQ(trouble_with(sound()), "");
  EXPECT_EQ(trouble_with(sound(network::Precision::float64)), "");
}

TEST(ModelBounds, NoiseIsANumberInFloat) {
  FittedModel model = sound();
  for (const double bad : {kNan, kInfinity, 0.0, -1.0, 1e-46, 1e-31, 1e31}) {
    model.members.front().noise_variance = {bad};
    EXPECT_NE(trouble_with(model).find("noise variance"), std::string::npos) << bad;
  }
  for (const double good : {1e-30, 1e-12, 1e30}) {
    model.members.front().noise_variance = {good};
    EXPECT_EQ(trouble_with(model), "") << good;
  }
}

TEST(ModelBounds, Temperature) {
  FittedModel model = sound();
  for (const double bad : {kNan, kInfinity, 0.0, -1.0, 1e-4, 1e4}) {
    model.temperature = bad;
    EXPECT_NE(trouble_with(model).find("temperature"), std::string::npos) << bad;
  }
}

TEST(ModelBounds, EpistemicScale) {
  FittedModel model = sound();
  for (const double bad : {kNan, kInfinity, 0.0, -1.0, 0.0099, 100.1}) {
    model.epistemic_scale = bad;
    EXPECT_NE(trouble_with(model).find("epistemic scale"), std::string::npos) << bad;
  }
  for (const double good : {0.01, 0.25, 1.25, 100.0}) {
    model.epistemic_scale = good;
    EXPECT_EQ(trouble_with(model), "") << good;
  }
}

TEST(ModelBounds, Scales) {
  for (const double bad : {kNan, kInfinity, -kInfinity}) {
    FittedModel model = sound();
    model.inputs.mean = {bad};
    EXPECT_NE(trouble_with(model).find("mean"), std::string::npos) << bad;
  }
  for (const double bad : {kNan, kInfinity, 0.0, -1.0, 1e-301}) {
    FittedModel model = sound();
    model.targets = TargetScales(Scales{{0}, {bad}});
    EXPECT_NE(trouble_with(model).find("deviation"), std::string::npos) << bad;
  }
}

TEST(ModelBounds, DataOnlyAddPrecision) {
  FittedModel model = sound();
  NetworkArrays<float>& arrays = arrays_of<float>(model);
  const std::size_t at = arrays.positions.back();
  const float prior = arrays.prior.rho[at];
  arrays.belief.rho[at] = 0.995F * prior;  // by rounding
  EXPECT_EQ(trouble_with(model), "");
  arrays.belief.rho[at] = 0.5F * prior;
  EXPECT_NE(trouble_with(model).find("less certain than its prior"), std::string::npos);
  arrays.belief.rho[at] = 1e30F * prior;
  EXPECT_EQ(trouble_with(model), "");
}

TEST(ModelBounds, BeliefsAreProper) {
  for (const float bad : {0.0F, -1.0F, 1e-45F, std::numeric_limits<float>::infinity()}) {
    FittedModel model = sound();
    arrays_of<float>(model).belief.rho[0] = bad;
    EXPECT_NE(trouble_with(model).find("not proper"), std::string::npos) << bad;
  }
  FittedModel far = sound();
  arrays_of<float>(far).belief.tau[0] = 3e38F;
  arrays_of<float>(far).belief.rho[0] = 1e-3F;  // a mean beyond float
  EXPECT_NE(trouble_with(far).find("not proper"), std::string::npos);
}

}  // namespace
}  // namespace postrider
