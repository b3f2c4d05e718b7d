// Functions drawn from tiny networks, beside their exact posterior by importance sampling.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "base/random.h"
#include "network/network_state.h"
#include "postrider/regressor.h"

namespace postrider {
using namespace internal;
namespace {

constexpr std::size_t kUnits = 2, kRows = 14, kSets = 6;
constexpr std::size_t kImportanceSamples = 40000, kDraws = 2000;
constexpr double kNoise = 0.15;
constexpr std::array<double, 7> kAsked{-3, -1.5, -0.5, 0, 0.5, 1.5, 3};
// Times the last layer's prior, each as likely beforehand: what functions drawn with rows choose from.
constexpr std::array<double, 6> kReaches{0.5, 1, 2, 4, 8, 16};

struct Rows {
  std::array<double, kRows> x, y;
};
Rows bent_line(std::uint64_t seed) {
  Rows out;
  RandomStream random(seed, 0);
  for (std::size_t i = 0; i < kRows; ++i) {
    out.x[i] = random.uniform(-2, 2);
    out.y[i] = std::max(0.0, out.x[i]) - 0.3 * out.x[i] + kNoise * random.normal();
  }
  return out;
}

Regressor tiny_network(const Rows& rows, std::uint64_t seed) {
  EstimatorOptions options;
  options.hidden = {kUnits};
  options.weights_per_example = 0;
  options.ensemble_size = 8;
  options.encoding = Encoding::standard;
  options.target_scale = EstimatorOptions::TargetScale::plain;
  options.varying_noise = false;
  options.training.seed = seed;
  options.precision = network::Precision::float64;
  Regressor out(options);
  out.fit(rows.x, rows.y);
  return out;
}

struct Weight {
  double mean = 0, variance = 0;
};
using Features = std::array<double, kUnits + 1>;

// A network whose hidden weights are known: h(x) = (phi(w_1 x + b_1), phi(w_2 x + b_2), 1), and N(m, V) for the last layer.
class HalfDrawn {
 public:
  HalfDrawn(const Regressor& model, RandomStream& random)
      : input_(model.input_scales()[0]),
        slope_(slope_of(model.network().options().layers[0])),
        reach_(kReaches[random.below(kReaches.size())]) {
    for (std::size_t k = 0; k < 2 * kUnits; ++k) {
      const Gaussian prior = model.network().prior(k);
      hidden_[k] = prior.mean() + prior.std() * random.normal();
    }
    for (std::size_t k = 0; k <= kUnits; ++k) {
      const Gaussian prior = model.network().prior(2 * kUnits + k);
      last_[k] = {reach_ * prior.mean(), reach_ * reach_ * prior.variance()};
    }
  }

  Features features(double x) const {
    Features out;
    for (std::size_t i = 0; i < kUnits; ++i) {
      const double z = hidden_[2 * i] * (x - input_.mean) / input_.std + hidden_[2 * i + 1];
      out[i] = z > 0 ? z : slope_ * z;
    }
    out[kUnits] = 1;
    return out;
  }
  double mean(const Features& h) const {
    double out = 0;
    for (std::size_t k = 0; k <= kUnits; ++k) out += h[k] * last_[k].mean;
    return out;
  }
  double covariance(const Features& g, const Features& h) const {
    double out = 0;
    for (std::size_t k = 0; k <= kUnits; ++k) out += g[k] * last_[k].variance * h[k];
    return out;
  }

 private:
  Estimator::ColumnScale input_;
  double slope_, reach_;
  std::array<double, 2 * kUnits> hidden_;  // of each unit its weight and its bias
  std::array<Weight, kUnits + 1> last_;
};

// Targets are Gaussian then, y ~ N(H m, K) with K = H V H^T + s^2 1 = L L^T: their density is the sample's importance, and the
// value f at another row is a regression on them.
class Regression {
 public:
  Regression(const HalfDrawn& network, const Rows& rows, Estimator::ColumnScale target)
      : network_(network) {
    const double noise = kNoise / target.std;
    for (std::size_t i = 0; i < kRows; ++i) features_[i] = network.features(rows.x[i]);
    for (std::size_t i = 0; i < kRows; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double left = network.covariance(features_[i], features_[j]) + (i == j ? noise * noise : 0);
        for (std::size_t k = 0; k < j; ++k) left -= root_[i][k] * root_[j][k];
        root_[i][j] = i == j ? std::sqrt(left) : left / root_[j][j];
      }
      log_density_ -= std::log(root_[i][i]);
    }
    std::array<double, kRows> residual;
    for (std::size_t i = 0; i < kRows; ++i)
      residual[i] = (rows.y[i] - target.mean) / target.std - network.mean(features_[i]);
    white_ = solved(residual);
    for (const double z : white_) log_density_ -= z * z / 2;
  }

  double log_density() const { return log_density_; }
  Weight value(double x) const {
    const Features h = network_.features(x);
    std::array<double, kRows> with_rows;
    for (std::size_t i = 0; i < kRows; ++i) with_rows[i] = network_.covariance(h, features_[i]);
    const std::array<double, kRows> u = solved(with_rows);
    Weight out{network_.mean(h), network_.covariance(h, h)};
    for (std::size_t i = 0; i < kRows; ++i) {
      out.mean += u[i] * white_[i];
      out.variance -= u[i] * u[i];
    }
    return out;
  }

 private:
  // L^-1 b.
  std::array<double, kRows> solved(const std::array<double, kRows>& b) const {
    std::array<double, kRows> out;
    for (std::size_t i = 0; i < kRows; ++i) {
      double left = b[i];
      for (std::size_t k = 0; k < i; ++k) left -= root_[i][k] * out[k];
      out[i] = left / root_[i][i];
    }
    return out;
  }

  HalfDrawn network_;
  std::array<Features, kRows> features_;
  double root_[kRows][kRows] = {};
  std::array<double, kRows> white_;
  double log_density_ = 0;
};

struct Moments {
  std::array<double, kAsked.size()> mean{}, std{};
};

// Importance sampling: hidden weights and the reach by their prior, as important as the targets are probable.
Moments exact_posterior(const Regressor& model, const Rows& rows) {
  const Estimator::ColumnScale target = model.target_scales()[0];
  const auto for_each_sample = [&](auto&& use) {
    RandomStream random(77, 0);
    for (std::size_t s = 0; s < kImportanceSamples; ++s)
      use(Regression(HalfDrawn(model, random), rows, target));
  };
  double most = -INFINITY, total = 0, squares = 0;
  for_each_sample([&](const Regression& sample) { most = std::max(most, sample.log_density()); });
  std::array<double, kAsked.size()> second{};
  Moments out;
  for_each_sample([&](const Regression& sample) {
    const double importance = std::exp(sample.log_density() - most);
    if (importance < 1e-9) return;
    total += importance;
    squares += importance * importance;
    for (std::size_t r = 0; r < kAsked.size(); ++r) {
      const Weight value = sample.value(kAsked[r]);
      out.mean[r] += importance * value.mean;
      second[r] += importance * (value.mean * value.mean + value.variance);
    }
  });
  EXPECT_GT(total * total / squares, 300) << "too few samples count";
  for (std::size_t r = 0; r < kAsked.size(); ++r) {
    const double mean = out.mean[r] / total;
    out.std[r] = target.std * std::sqrt(second[r] / total - mean * mean);
    out.mean[r] = target.mean + target.std * mean;
  }
  return out;
}

// Over all sets and rows: how far means are off, in standard deviations of the exact posterior, and the ratios of these.
class Comparison {
 public:
  void add(const std::vector<FunctionDraw>& functions, const Moments& exact) {
    const FunctionDraw::JointForecast joint = joint_moments(functions, kAsked).front();
    for (std::size_t r = 0; r < kAsked.size(); ++r) {
      const double shift = (joint.mean[r] - exact.mean[r]) / exact.std[r];
      squares_ += shift * shift;
      ratios_.push_back(std::sqrt(joint.covariance[r * kAsked.size() + r]) / exact.std[r]);
    }
  }
  double shift() const { return std::sqrt(squares_ / static_cast<double>(ratios_.size())); }
  double quantile_of_ratio(double level) {
    std::ranges::sort(ratios_);
    return ratios_[static_cast<std::size_t>(level * static_cast<double>(ratios_.size() - 1))];
  }

 private:
  double squares_ = 0;
  std::vector<double> ratios_;
};

TEST(FunctionSamplingPosterior, OfTinyNetworksIsNearlyThatOfImportanceSampling) {
  Comparison with_rows, without_rows;
  for (std::uint64_t seed = 0; seed < kSets; ++seed) {
    const Rows rows = bent_line(seed);
    const Regressor model = tiny_network(rows, seed);
    const Moments exact = exact_posterior(model, rows);
    with_rows.add(model.sample_functions(kDraws, 1, {rows.x, rows.y}, kNoise), exact);
    without_rows.add(model.sample_functions(kDraws, 1), exact);
  }
  // Hidden weights still have factorised beliefs: the median is right, some rows are not.
  EXPECT_LT(with_rows.shift(), 0.9);
  EXPECT_GT(with_rows.quantile_of_ratio(0.5), 0.85);
  EXPECT_LT(with_rows.quantile_of_ratio(0.5), 1.2);
  EXPECT_GT(with_rows.quantile_of_ratio(0.1), 0.7);
  EXPECT_LT(with_rows.quantile_of_ratio(0.9), 2);
  // Which the rows are for.
  EXPECT_LT(with_rows.shift(), 0.85 * without_rows.shift());
  EXPECT_LT(with_rows.quantile_of_ratio(0.9), without_rows.quantile_of_ratio(0.9));
}

}  // namespace
}  // namespace postrider
