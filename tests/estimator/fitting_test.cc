#include "estimator/fitting.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"

namespace postrider {
using namespace internal;
namespace {

struct Given {
  std::vector<double> x, y;

  Examples rows() const { return {x, y}; }
};

Given waves(std::size_t rows) {
  Given out;
  RandomStream random(5, 0);
  for (std::size_t i = 0; i < rows; ++i) {
    out.x.push_back(random.uniform(-3, 3));
    out.y.push_back(std::sin(2 * out.x.back()) + 0.1 * random.normal());
  }
  return out;
}

EstimatorState state_for(std::size_t epochs) {
  EstimatorOptions options{.hidden = {10}, .encoding = Encoding::standard};
  options.target_scale = EstimatorOptions::TargetScale::plain;
  options.training.max_epochs = epochs;
  options.training.refit = 0;  // a stretch that ends training would have it
  return EstimatorState(options, OptionInfo::Scope::numeric_target);
}

// The score of an ensemble whose training has ended after so many epochs.
double score_after(const Given& given, std::size_t epochs) {
  EstimatorState state = state_for(epochs);
  Fitting fitting(state, given.rows(), {});
  fitting.train(epochs, {});
  return fitting.scores().mean();
}

TEST(Fitting, StretchesAreJudgedByWhatTheyHaveLearned) {
  const Given given = waves(120);
  EstimatorState state = state_for(100);
  Fitting fitting(state, given.rows(), {});
  ASSERT_TRUE(fitting.has_stretches());
  EXPECT_TRUE(fitting.scores().scores.empty()) << "nothing was learned";
  for (const std::size_t epochs : {4U, 9U, 20U}) {
    fitting.train(epochs, {});
    const double found = fitting.scores().mean();
    EXPECT_EQ(found, fitting.scores().mean()) << "to judge changes nothing";
    EXPECT_EQ(found, score_after(given, epochs)) << epochs << " epochs";
  }
}

TEST(Fitting, AllEpochsAreToldOnceAlsoThoseOfStretches) {
  const Given given = waves(120);
  EstimatorState state = state_for(12);
  Fitting fitting(state, given.rows(), {});
  fitting.train(5, {});
  std::vector<std::size_t> told;
  const std::vector<FitReport> reports = fitting.fit({.progress = [&](const EpochReport& report) {
    if (report.member == 0) told.push_back(report.epoch);
    return true;
  }});
  ASSERT_EQ(told.size(), 12U);
  for (std::size_t e = 0; e < told.size(); ++e) EXPECT_EQ(told[e], e + 1);
  EXPECT_EQ(reports.front().epochs.size(), 12U);
}

}  // namespace
}  // namespace postrider
