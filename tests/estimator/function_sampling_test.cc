#include "estimator/function_sampling.h"

#include <gtest/gtest.h>

#include <cmath>

#include "estimator/sine.h"
#include "postrider/error.h"
#include "postrider/regressor.h"

namespace postrider {
using namespace internal;
namespace {

// As many standard errors as chance may be expected to take.
constexpr double kChance = 4.5;

EstimatorOptions options_with(std::vector<std::size_t> hidden, bool varying_noise = false) {
  EstimatorOptions out;
  out.hidden = std::move(hidden);
  out.ensemble_size = 1;
  out.encoding = Encoding::standard;
  out.target_scale = EstimatorOptions::TargetScale::plain;
  out.varying_noise = varying_noise;
  out.training.max_epochs = 60;
  out.precision = network::Precision::float64;
  return out;
}

struct Moments {
  std::vector<double> mean, variance;
};
Moments moments_of(const std::vector<FunctionDraw>& functions, std::span<const double> rows) {
  const FunctionDraw::JointForecast joint = joint_moments(functions, rows).front();
  Moments out{joint.mean, {}};
  for (std::size_t r = 0; r < joint.mean.size(); ++r)
    out.variance.push_back(joint.covariance[r * joint.mean.size() + r]);
  return out;
}

// Two columns that are nearly the same, and a line: what factorised weights cannot know.
struct Line {
  std::vector<double> x, y;
};
Line noisy_line(std::size_t rows) {
  Line out;
  RandomStream random(4, 0);
  for (std::size_t i = 0; i < rows; ++i) {
    const double a = random.normal(), b = a + 0.3 * random.normal();
    out.x.insert(out.x.end(), {a, b});
    out.y.push_back(2 * a - b + 0.5 + 0.4 * random.normal());
  }
  return out;
}

// The exact posterior of three weights in the network's own units, by Gauss-Jordan on the normal equations.
struct ExactLine {
  double mean[3] = {0, 0, 0}, covariance[3][3] = {};
};
ExactLine exact_line(const Regressor& model, const Line& line, double noise) {
  double a[3][6] = {}, told[3] = {};
  const network::Network& network = model.network();
  for (std::size_t j = 0; j < 3; ++j) {
    a[j][j] = network.prior(j).rho();
    a[j][j + 3] = 1;
    told[j] = network.prior(j).tau();
  }
  const auto inputs = model.input_scales();
  const Estimator::ColumnScale target = model.target_scales()[0];
  for (std::size_t row = 0; row < line.y.size(); ++row) {
    const double h[3] = {(line.x[2 * row] - inputs[0].mean) / inputs[0].std,
                         (line.x[2 * row + 1] - inputs[1].mean) / inputs[1].std, 1};
    const double y = (line.y[row] - target.mean) / target.std;
    for (std::size_t i = 0; i < 3; ++i) {
      told[i] += h[i] * y / noise;
      for (std::size_t j = 0; j < 3; ++j) a[i][j] += h[i] * h[j] / noise;
    }
  }
  for (std::size_t pivot = 0; pivot < 3; ++pivot) {
    const double by = a[pivot][pivot];
    for (double& each : a[pivot]) each /= by;
    for (std::size_t i = 0; i < 3; ++i) {
      if (i == pivot) continue;
      const double factor = a[i][pivot];
      for (std::size_t j = 0; j < 6; ++j) a[i][j] -= factor * a[pivot][j];
    }
  }
  ExactLine out;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      out.covariance[i][j] = a[i][j + 3];
      out.mean[i] += a[i][j + 3] * told[j];
    }
  return out;
}

TEST(FunctionSampling, OfALineGivenItsRowsIsTheExactPosterior) {
  constexpr std::size_t kDraws = 4000;
  const Line line = noisy_line(30);
  Regressor model(options_with({}));
  model.fit(line.x, line.y);
  const ExactLine exact = exact_line(model, line, model.noise_variance()[0]);
  const std::vector<FunctionDraw> functions = model.sample_functions(kDraws, 1, {line.x, line.y});
  const std::vector<double> rows{1, 1, 1, -1};
  const FunctionDraw::JointForecast joint = joint_moments(functions, rows).front();
  const auto inputs = model.input_scales();
  const double unit = model.target_scales()[0].std;
  double h[2][3];
  for (std::size_t r = 0; r < 2; ++r) {
    for (std::size_t c = 0; c < 2; ++c)
      h[r][c] = (rows[2 * r + c] - inputs[c].mean) / inputs[c].std;
    h[r][2] = 1;
  }
  double variance[2][2] = {}, mean[2] = {};
  for (std::size_t r = 0; r < 2; ++r)
    for (std::size_t i = 0; i < 3; ++i) {
      mean[r] += unit * h[r][i] * exact.mean[i];
      for (std::size_t s = 0; s < 2; ++s)
        for (std::size_t j = 0; j < 3; ++j)
          variance[r][s] += unit * unit * h[r][i] * h[s][j] * exact.covariance[i][j];
    }
  const double root = std::sqrt(static_cast<double>(kDraws));
  for (std::size_t r = 0; r < 2; ++r) {
    EXPECT_NEAR(joint.mean[r], mean[r] + model.target_scales()[0].mean,
                kChance * std::sqrt(variance[r][r]) / root);
    for (std::size_t s = 0; s < 2; ++s)
      EXPECT_NEAR(
          joint.covariance[2 * r + s], variance[r][s],
          kChance * std::sqrt((variance[r][r] * variance[s][s] + variance[r][s] * variance[r][s])) /
              root);
  }
}

// Without rows the weights are drawn each by itself, which is what predict() adds up.
TEST_F(NoisySine, DrawsOfALineAgreeWithWhatIsPredicted) {
  constexpr std::size_t kDraws = 4000;
  Regressor model(options_with({}));
  model.fit(training.x, training.y);
  const std::vector<double> rows{-2, 0.1, 2.5};
  const Forecast predicted = model.predict(rows);
  const std::vector<double> epistemic = predicted.epistemic_variance();
  const Moments found = moments_of(model.sample_functions(kDraws, 1), rows);
  const double root = std::sqrt(static_cast<double>(kDraws));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    EXPECT_NEAR(found.mean[r], predicted.mean[r], kChance * std::sqrt(epistemic[r]) / root);
    EXPECT_NEAR(found.variance[r], epistemic[r], kChance * epistemic[r] * std::sqrt(2) / root);
  }
}

// What networks predict is that of Gaussians with the same moments, layer by layer: nearly the same.
TEST_F(NoisySine, DrawsOfNetworksNearlyAgreeWithWhatIsPredicted) {
  constexpr std::size_t kDraws = 2000;
  for (const bool varying_noise : {false, true}) {
    EstimatorOptions options = options_with({8, 8}, varying_noise);
    options.ensemble_size = 3;
    Regressor model(options);
    model.fit(training.x, training.y);
    const std::vector<double> rows{-2, 0.1, 2.5};
    const Forecast predicted = model.predict(rows);
    const std::vector<double> epistemic = predicted.epistemic_variance();
    const Moments found = moments_of(model.sample_functions(kDraws, 1), rows);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      EXPECT_NEAR(found.mean[r], predicted.mean[r], 0.3 * std::sqrt(epistemic[r]));
      EXPECT_NEAR(std::sqrt(found.variance[r]), std::sqrt(epistemic[r]),
                  0.3 * std::sqrt(epistemic[r]));
    }
  }
}

TEST(FunctionSampling, WithoutNoiseFunctionsGoThroughTheTargets) {
  Sine few;
  for (int i = 0; i < 10; ++i) {
    few.x.push_back(-2.25 + 0.5 * i);
    few.y.push_back(std::sin(few.x.back()));
  }
  EstimatorOptions options = options_with({100});
  options.weights_per_example = 0;
  Regressor model(options);
  model.fit(few.x, few.y);
  const std::vector<FunctionDraw> functions = model.sample_functions(4, 1, {few.x, few.y}, 0.0);
  for (const FunctionDraw& function : functions) {
    const std::vector<double> found = function.values(few.x);
    for (std::size_t row = 0; row < few.y.size(); ++row) EXPECT_NEAR(found[row], few.y[row], 0.01);
  }
  const Moments between = moments_of(functions, std::vector<double>{20.0});
  EXPECT_GT(between.variance[0], 0.01);
}

TEST_F(NoisySine, DrawsDependOnSeedAndNumberOnly) {
  EstimatorOptions options = options_with({8});
  options.ensemble_size = 4;
  Regressor model(options);
  model.fit(training.x, training.y);
  const std::vector<double> rows{-1, 1};
  const std::vector<FunctionDraw> two = model.sample_functions(2, 9);
  model.use_threads(3);
  const std::vector<FunctionDraw> five = model.sample_functions(5, 9);
  EXPECT_EQ(two[0].values(rows), five[0].values(rows));
  EXPECT_EQ(two[1].values(rows), five[1].values(rows));
  EXPECT_NE(five[0].values(rows), five[1].values(rows));
  EXPECT_NE(model.sample_functions(1, 10)[0].values(rows), two[0].values(rows));
  EXPECT_THROW(model.sample_functions(1, 1, {training.x, training.y}, -1.0), InvalidArgument);
  EXPECT_THROW(Regressor().sample_functions(1, 1), NotFitted);
}

}  // namespace
}  // namespace postrider
