// Streams of estimators: what sets their scales, what they refuse, and what they tell.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "complaint.h"
#include "estimator/labelled.h"
#include "estimator/sine.h"
#include "postrider/classifier.h"
#include "postrider/regressor.h"

namespace postrider {
using namespace internal;
namespace {

EstimatorOptions small() {
  EstimatorOptions out{.hidden = {8}, .ensemble_size = 2};
  out.training.max_epochs = 5;
  return out;
}

template <class Model>
Model through_file(const Model& model) {
  std::stringstream file;
  model.save(file);
  return Model::load(file);
}

// Targets far from zero and of a unit far from one: a scale set by one row would be of no use.
Sine distant_sine(std::size_t rows) {
  Sine out = noisy_sine(rows, 3);
  for (double& y : out.y) y = 3e5 + 4e4 * y;
  return out;
}

TEST(EstimatorLearning, HoweverAStreamFromNothingIsCutTheResultIsTheSame) {
  const Sine rows = distant_sine(150);
  // The first 100 rows set the scales, so a first call must not have more.
  Regressor whole(small());
  whole.partial_fit(std::span(rows.x).first(100), std::span(rows.y).first(100));
  whole.partial_fit(std::span(rows.x).subspan(100), std::span(rows.y).subspan(100));
  for (const bool by_files : {false, true}) {
    Regressor single(small());
    for (std::size_t i = 0; i < rows.y.size(); ++i) {
      single.partial_fit(std::span(rows.x).subspan(i, 1), std::span(rows.y).subspan(i, 1));
      if (by_files) single = through_file(single);
    }
    EXPECT_EQ(single.predict(rows.x).mean, whole.predict(rows.x).mean);
    EXPECT_EQ(single.predict(rows.x).variance, whole.predict(rows.x).variance);
    EXPECT_EQ(single.rows_learned(), 150U);
  }
}

TEST(EstimatorLearning, AClassifiersStreamMayBeCutAsWell) {
  const Labelled rows = noisy_xor(130, 5);
  EstimatorOptions options = small();
  options.classes = 2;
  Classifier whole(options), single(options);
  whole.partial_fit(std::span(rows.x).first(200), std::span(rows.y).first(100));
  whole.partial_fit(std::span(rows.x).subspan(200), std::span(rows.y).subspan(100));
  for (std::size_t i = 0; i < rows.y.size(); ++i)
    single.partial_fit(std::span(rows.x).subspan(2 * i, 2), std::span(rows.y).subspan(i, 1));
  EXPECT_EQ(single.predict_probabilities(rows.x), whole.predict_probabilities(rows.x));
}

// After a fit, and through files: every option that learning reads must be in them.
TEST(EstimatorLearning, ALoadedModelGoesOnAsItWouldHave) {
  const Sine rows = distant_sine(200);
  for (const bool learn_noise : {true, false}) {
    EstimatorOptions options = small();
    options.power = 4;
    options.training.learn_noise = learn_noise;
    Regressor kept(options);
    kept.fit(std::span(rows.x).first(150), std::span(rows.y).first(150));
    Regressor loaded = through_file(kept);
    EXPECT_EQ(loaded.options().power, 4);
    for (std::size_t i = 150; i < 200; ++i) {
      kept.partial_fit(std::span(rows.x).subspan(i, 1), std::span(rows.y).subspan(i, 1));
      loaded.partial_fit(std::span(rows.x).subspan(i, 1), std::span(rows.y).subspan(i, 1));
      loaded = through_file(loaded);
    }
    EXPECT_EQ(loaded.predict(rows.x).mean, kept.predict(rows.x).mean);
    EXPECT_EQ(loaded.noise_variance(), kept.noise_variance());
    EXPECT_EQ(loaded.rows_learned(), 200U);
  }
}

TEST(EstimatorLearning, AFarTargetIsBoundedAndCounted) {
  const Sine rows = distant_sine(200);
  const auto after = [&](double target, StreamReport& report) {
    Regressor model(small());
    model.fit(rows.x, rows.y);
    report = model.partial_fit(std::vector{0.5}, std::vector{target});
    return model.predict(std::vector{0.5});
  };
  Regressor model(small());
  model.fit(rows.x, rows.y);
  const Estimator::ColumnScale scale = model.target_scales().front();
  const double before = model.predict(std::vector{0.5}).mean[0];
  StreamReport near, far, farther;
  const Forecast at_bound = after(scale.mean + 10 * scale.std, near);
  const Forecast beyond = after(scale.mean + 11 * scale.std, far);
  const Forecast absurd = after(scale.mean + 1e6 * scale.std, farther);
  EXPECT_EQ(near.far_targets, 0U);
  EXPECT_EQ(far.far_targets, 1U);
  EXPECT_EQ(farther.far_targets, 1U);
  EXPECT_EQ(beyond.mean, at_bound.mean);
  EXPECT_EQ(absurd.mean, at_bound.mean);
  EXPECT_LT(std::abs(absurd.mean[0] - before), 10 * scale.std);
  EXPECT_NE(complaint([&] {
              model.partial_fit(std::vector{0.5}, std::vector{1e25});
            }).find("targets = 1e+25: must lie within 1e12 standard deviations"),
            std::string::npos);
  EXPECT_EQ(model.predict(std::vector{0.5}).mean[0], before) << "nothing of it was learned";
}

TEST(EstimatorLearning, ANarrowNetworkIsTold) {
  const Sine rows = noisy_sine(4000, 1);
  EstimatorOptions options{.hidden = {50}, .ensemble_size = 1};
  options.training.max_epochs = 2;
  Regressor model(options);
  model.fit(std::span(rows.x).first(40), std::span(rows.y).first(40));
  const std::size_t units = model.network().options().layers.front().units;
  ASSERT_LT(units, 25U);
  EXPECT_FALSE(model.is_too_narrow());
  std::size_t told = 0;
  for (std::size_t i = 40; i < 4000; i += 40)
    told += model.partial_fit(std::span(rows.x).subspan(i, 40), std::span(rows.y).subspan(i, 40))
                    .too_narrow
                ? 1
                : 0;
  EXPECT_TRUE(model.is_too_narrow());
  EXPECT_GE(told, 2U);
  EXPECT_LE(told, 8U) << "when rows have doubled, and not at each call";
  model.fit(rows.x, rows.y);
  EXPECT_FALSE(model.is_too_narrow());
  options.weights_per_example = 0;
  Regressor wide(options);
  wide.fit(std::span(rows.x).first(40), std::span(rows.y).first(40));
  EXPECT_EQ(wide.network().options().layers.front().units, 50U);
  EXPECT_FALSE(wide.is_too_narrow());
}

TEST(EstimatorLearning, RefusedRowsChangeNothing) {
  const Sine rows = distant_sine(60);
  Regressor model(small());
  model.partial_fit(rows.x, rows.y);
  const std::vector<double> before = model.predict(rows.x).mean;
  EXPECT_NE(complaint([&] {
              model.partial_fit(std::vector{1.0, 2.0}, std::vector{1.0});
            }),
            "no complaint");
  EXPECT_NE(complaint([&] {
              model.partial_fit(std::vector{std::numeric_limits<double>::infinity()},
                                std::vector{1.0});
            }),
            "no complaint");
  EXPECT_EQ(model.predict(rows.x).mean, before);
  EXPECT_EQ(model.rows_learned(), 60U);
}

}  // namespace
}  // namespace postrider
