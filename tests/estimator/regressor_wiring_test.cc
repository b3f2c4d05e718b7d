// That what a caller passes to a Regressor reaches the place where it counts.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include "base/random.h"
#include "complaint.h"
#include "estimator/sine.h"
#include "files.h"
#include "postrider/regressor.h"

namespace postrider {
using namespace internal;
namespace {

constexpr double kRounding = 1e-12, kFloat = 1e-5;

EstimatorOptions small(std::size_t outputs = 1) {
  EstimatorOptions out;
  out.hidden = {4};
  out.ensemble_size = 1;
  out.encoding = Encoding::standard;
  out.outputs = outputs;
  out.training.max_epochs = 1;
  return out;
}

double share_held(const Regressor& model, const Sine& rows, double level) {
  const std::vector<double> bounds = model.intervals(rows.x, level);
  double held = 0;
  for (std::size_t i = 0; i < rows.y.size(); ++i)
    held += bounds[2 * i] <= rows.y[i] && rows.y[i] <= bounds[2 * i + 1] ? 1 : 0;
  return held / static_cast<double>(rows.y.size());
}

// Noise that is taken for far too small: the beliefs' intervals hold too little, the others what they say.
TEST(RegressorWiring, IntervalsFollowRowsLeftOutUnlessBeliefsAreAskedFor) {
  const Sine training = noisy_sine(300, 1), fresh = noisy_sine(300, 2);
  EstimatorOptions options = small();
  options.hidden = {16};
  options.ensemble_size = 8;  // so that each row is left out by one
  options.varying_noise = false;
  options.training.max_epochs = 20;
  options.training.noise_variance = {0.01};  // of 0.074
  options.training.learn_noise = false;
  Regressor conformal(options);
  conformal.fit(training.x, training.y);
  EXPECT_NEAR(share_held(conformal, fresh, 0.8), 0.8, 0.08);
  EXPECT_NEAR(share_held(conformal, fresh, 0.5), 0.5, 0.1);

  options.intervals = EstimatorOptions::Intervals::beliefs;
  Regressor beliefs(options);
  beliefs.fit(training.x, training.y);
  EXPECT_LT(share_held(beliefs, fresh, 0.8), 0.6);
  EXPECT_EQ(beliefs.noise_variance(), std::vector<double>{0.01}) << "it is not learned";
  EXPECT_EQ(beliefs.intervals(fresh.x, 0.5),
            conformal.quantiles(fresh.x, std::vector<double>{0.25, 0.75}))
      << "nothing else is learned";

  // Streams follow their rows, too, as they were predicted before they were learned.
  const Sine rows = noisy_sine(2000, 3);
  options.ensemble_size = 1;
  Regressor stream(options);
  stream.partial_fit(rows.x, rows.y);
  EXPECT_EQ(stream.intervals(fresh.x, 0.5),
            stream.quantiles(fresh.x, std::vector<double>{0.25, 0.75}));
  EXPECT_LT(share_held(stream, fresh, 0.8), 0.6);
  options.intervals = EstimatorOptions::Intervals::conformal;
  Regressor following(options);
  following.partial_fit(rows.x, rows.y);
  EXPECT_NEAR(share_held(following, fresh, 0.8), 0.8, 0.08);
}

// Noise that is taken for far too large: intervals come nearer by a level of 0.1 and no more, since quantiles, which
// stand beside them, are those of the beliefs.
TEST(RegressorWiring, IntervalsAreNotMuchNarrowerThanBeliefs) {
  const Sine training = noisy_sine(300, 1), fresh = noisy_sine(300, 2);
  EstimatorOptions options = small();
  options.varying_noise = false;
  options.training.noise_variance = {2};
  options.training.learn_noise = false;
  Regressor model(options);
  model.fit(training.x, training.y);
  EXPECT_EQ(model.intervals(fresh.x, 0.5),
            model.quantiles(fresh.x, std::vector<double>{0.5 * (1 - (0.5 - 0.1)),
                                                         1 - 0.5 * (1 - (0.5 - 0.1))}));
}

TEST(RegressorWiring, IntervalsSurviveTheFile) {
  const Sine training = noisy_sine(150, 1);
  Regressor model(small());
  model.fit(training.x, training.y);
  const TemporaryFolder folder;
  model.save(folder.file("model"));
  const Regressor again = Regressor::load(folder.file("model"));
  EXPECT_EQ(again.intervals(training.x, 0.9), model.intervals(training.x, 0.9));
  EXPECT_NE(again.intervals(training.x, 0.9),
            again.quantiles(training.x, std::vector<double>{0.05, 0.95}));
}

// A layer of h units between one input and one output has 3 h + 1 weights: at most one for each row.
TEST(RegressorWiring, TheWidthFollowsTheWeightsOfTheRows) {
  const Sine sine = noisy_sine(100, 1);
  const auto width = [&](double weight) {
    EstimatorOptions options = small();
    options.hidden = {50};
    options.varying_noise = false;
    Regressor regressor(options);
    regressor.fit(sine.x, sine.y, std::vector<double>(100, weight));
    return regressor.network().options().layers.front().units;
  };
  EXPECT_EQ(width(1), 33U);
  EXPECT_EQ(width(0.25), 8U);
  EXPECT_EQ(width(2), 50U);
}

// Sixteen such networks do not fit the cache: 500 rows are learned by 8, and rows that count twice by
// half as many.
TEST(RegressorWiring, TheSizeOfTheEnsembleFollowsTheWeightsOfTheRows) {
  const Sine sine = noisy_sine(500, 1);
  for (const double weight : {1.0, 2.0}) {
    EstimatorOptions options = small();
    options.hidden = {100, 100};
    options.weights_per_example = 0;
    options.ensemble_size = 0;
    options.training.max_epochs = 1;
    Regressor regressor(options);
    regressor.fit(sine.x, sine.y, std::vector<double>(500, weight));
    EXPECT_EQ(regressor.ensemble_size(), weight == 1 ? 8U : 4U);
  }
}

// 1 + weights/rows, of rows as they count.
TEST(RegressorWiring, ThePowerFollowsTheWeightsOfTheRows) {
  const Sine sine = noisy_sine(200, 1);
  const std::vector<double> weights(200, 0.5);
  EstimatorOptions options = small();
  options.varying_noise = false;
  Regressor chosen(options);
  chosen.fit(sine.x, sine.y, weights);
  ASSERT_EQ(chosen.network().weight_count(), 13U);
  options.power = 1 + 13.0 / 100;
  Regressor asked(options);
  asked.fit(sine.x, sine.y, weights);
  EXPECT_EQ(chosen.predict(sine.x).mean, asked.predict(sine.x).mean);
}

// The mean of rows that count is zero in standardised units, of inputs and of targets.
TEST(RegressorWiring, ScalesFollowTheWeightsOfTheRows) {
  const std::vector<double> x{1, 2, 7, 8}, y{0, 10, 20, -6}, weights{1, 1, 4, 2};
  double count = 0, x_sum = 0, y_sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    count += weights[i];
    x_sum += weights[i] * x[i];
    y_sum += weights[i] * y[i];
  }
  Regressor regressor(small());
  regressor.fit(x, y, weights);
  const SparseInputs of_mean = regressor.encoded_inputs(std::vector{x_sum / count});
  if (!of_mean.values.empty()) {
    EXPECT_NEAR(of_mean.values[0], 0, kRounding) << "what is zero is not there";
  }
  EXPECT_NEAR(regressor.standardised_targets(std::vector{y_sum / count})[0], 0, kRounding);
}

// Two outputs of different noise and unit.
struct TwoOutputs {
  explicit TwoOutputs(bool varying_noise) : regressor(options(varying_noise)) {
    RandomStream random(4, 0);
    for (std::size_t i = 0; i < 200; ++i) {
      x.push_back(random.normal());
      y.insert(y.end(), {x.back() + random.normal(), 30 - 20 * x.back() + 0.1 * random.normal()});
    }
    regressor.fit(x, y);
    const std::vector<double> scaled =
        regressor.standardised_targets(std::vector<double>{0, 0, 1, 1});
    unit = {1 / (scaled[2] - scaled[0]), 1 / (scaled[3] - scaled[1])};
  }
  static EstimatorOptions options(bool varying_noise) {
    EstimatorOptions out = small(2);
    out.varying_noise = varying_noise;
    out.training.max_epochs = 4;
    out.training.constant_noise_epochs = 0;
    return out;
  }

  std::vector<double> x, y, unit;
  Regressor regressor;
};

TEST(RegressorWiring, EveryOutputIsPredictedWithItsOwnNoise) {
  TwoOutputs constant(false);
  const Forecast found = constant.regressor.predict(std::vector{0.5});
  const std::vector<double>& noise = constant.regressor.noise_variance();
  ASSERT_NE(noise[0], noise[1]);
  for (std::size_t o = 0; o < 2; ++o) {
    const double expected = noise[o] * constant.unit[o] * constant.unit[o];
    EXPECT_NEAR(found.noise_variance[o] / expected, 1, kRounding);
  }
}

// E[scale exp(g)] = scale exp(m + v/2) of the outputs that stand for g, which come after the means.
TEST(RegressorWiring, VaryingNoiseIsThatOfItsOwnOutput) {
  TwoOutputs varying(true);
  const Regressor& regressor = varying.regressor;
  const Forecast found = regressor.predict(std::vector{0.5});
  const SparseInputs x = regressor.encoded_inputs(std::vector{0.5});
  const network::Network::OutputMoments outputs = regressor.network().predict(x);
  for (std::size_t o = 0; o < 2; ++o) {
    ASSERT_LT(outputs.variance[2 + o], 1) << "far from the data it would be bounded";
    const double expected = regressor.noise_variance()[0] *
                            std::exp(outputs.mean[2 + o] + 0.5 * outputs.variance[2 + o]) *
                            varying.unit[o] * varying.unit[o];
    EXPECT_NEAR(found.noise_variance[o] / expected, 1, kFloat);
  }
}

TEST(RegressorWiring, AStreamReportsItsEvents) {
  const Sine sine = noisy_sine(400, 1);
  EstimatorOptions options = small();
  options.hidden = {20};
  Regressor regressor(options);
  const StreamReport report = regressor.partial_fit(sine.x, sine.y);
  EXPECT_EQ(report.rows, 400U);
  EXPECT_GT(report.linearised, 0U);
  EXPECT_EQ(report.far_targets, 0U);
  const StreamReport far =
      regressor.partial_fit(std::vector<double>{0.1, 0.2, 0.3}, std::vector<double>{0, 1e6, -1e7});
  EXPECT_EQ(far.far_targets, 2U);
}

// Networks are trained side by side, and tell of it one at a time.
TEST(RegressorWiring, ProgressIsToldOneAtATime) {
  const Sine sine = noisy_sine(60, 1);
  EstimatorOptions options = small();
  options.ensemble_size = 4;
  options.training.max_epochs = 5;
  options.training.threads = 4;
  Regressor regressor(options);
  std::atomic<int> inside = 0, most = 0;
  std::vector<std::size_t> told(4);
  const auto progress = [&](const EpochReport& report) {
    most = std::max(most.load(), ++inside);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    ++told.at(report.member);
    --inside;
    return true;
  };
  regressor.fit(sine.x, sine.y, {}, {.progress = progress});
  EXPECT_EQ(most, 1);
  EXPECT_EQ(told, std::vector<std::size_t>(told.size(), 5));
}

// A stream goes on where the fit ended, each network with its own noise: a row without a target changes
// none of them. Networks that are not trained side by side are each judged by themselves.
TEST(RegressorWiring, AStreamGoesOnWithEveryNetworksNoise) {
  const Sine sine = noisy_sine(150, 1);
  EstimatorOptions options = small();
  options.ensemble_size = 2;
  options.training.max_epochs = 6;
  options.training.parallel_groups = 2;
  Regressor regressor(options);
  regressor.fit(sine.x, sine.y);
  const std::vector<double> first = regressor.noise_variance(0),
                            second = regressor.noise_variance(1);
  ASSERT_NE(first, second);
  regressor.partial_fit(std::vector{0.5}, std::vector{std::numeric_limits<double>::quiet_NaN()});
  EXPECT_EQ(regressor.noise_variance(0), first);
  EXPECT_EQ(regressor.noise_variance(1), second);
}

// Rows are predicted 4096 at a time, in several outputs: no row's place may depend on that.
class ManyRows : public testing::Test {
 protected:
  static constexpr std::size_t kRows = 4096 + 3, kOutputs = 2;

  ManyRows() : regressor(small(kOutputs)) {
    RandomStream random(4, 0);
    for (std::size_t i = 0; i < kRows; ++i) {
      x.push_back(random.normal());
      y.insert(y.end(), {x.back() + random.normal(), 3 - 2 * x.back() + random.normal()});
    }
    regressor.fit(std::span(x).first(100), std::span(y).first(100 * kOutputs));
  }

  // The last rows alone.
  std::span<const double> last_inputs() const { return std::span(x).subspan(kRows - kLast); }
  std::vector<double> last_of(const std::vector<double>& all, std::size_t per_row) const {
    return {all.end() - static_cast<std::ptrdiff_t>(kLast * per_row), all.end()};
  }

  static constexpr std::size_t kLast = 5;
  std::vector<double> x, y;
  Regressor regressor;
};

TEST_F(ManyRows, SamplesAreThoseOfTheRowsNumbers) {
  constexpr std::size_t kCount = 2;
  const std::vector<double> all = regressor.samples(x, kCount, 7);
  ASSERT_EQ(all.size(), kRows * kOutputs * kCount);
  EXPECT_EQ(all, regressor.distributions(x).samples(kCount, 7));
  EXPECT_EQ(last_of(all, kOutputs * kCount),
            regressor.samples(last_inputs(), kCount, 7, kRows - kLast));
  EXPECT_NE(last_of(all, kOutputs * kCount), regressor.samples(last_inputs(), kCount, 7));
  EXPECT_NE(all, regressor.samples(x, kCount, 8));
}

TEST_F(ManyRows, MomentsAndQuantilesAreThoseOfTheRowsAlone) {
  const std::vector<double> probabilities{0.1, 0.5, 0.7};
  EXPECT_EQ(last_of(regressor.predict(x).mean, kOutputs), regressor.predict(last_inputs()).mean);
  EXPECT_EQ(last_of(regressor.predict(x).noise_variance, kOutputs),
            regressor.predict(last_inputs()).noise_variance);
  EXPECT_EQ(last_of(regressor.quantiles(x, probabilities), kOutputs * probabilities.size()),
            regressor.quantiles(last_inputs(), probabilities));
}

TEST_F(ManyRows, TheLogLikelihoodTakesEachTargetWithItsOwnRow) {
  const std::vector<double> each = regressor.distributions(x).log_densities(y);
  double sum = 0;
  for (const double log_density : each) sum += log_density;
  const double expected = sum / static_cast<double>(each.size());
  EXPECT_NEAR(regressor.log_likelihood(x, y), expected, kRounding * std::abs(expected) * kRows);
}

// What is kept to predict with is made anew whenever something was learned: an estimator that was read
// from a file, which never predicted before, says the same.
TEST(RegressorWiring, PredictionsFollowWhatWasLearned) {
  const Sine sine = noisy_sine(120, 1);
  for (const std::size_t members : {1U, 16U}) {
    EstimatorOptions options = small();
    options.ensemble_size = members;
    Regressor regressor(options);
    const TemporaryFolder folder;
    std::vector<double> before;
    const auto expect_new = [&] {
      const std::vector<double> found = regressor.predict(sine.x).mean;
      EXPECT_NE(found, before);
      regressor.save(folder.file("model"));
      EXPECT_EQ(found, Regressor::load(folder.file("model")).predict(sine.x).mean);
      before = found;
    };
    regressor.fit(sine.x, sine.y);
    expect_new();
    regressor.partial_fit(std::span(sine.x).first(20), std::span(sine.y).first(20));
    expect_new();
    TrainingCallbacks predicting;
    predicting.progress = [&](const EpochReport&) {
      return !regressor.predict(sine.x).mean.empty();
    };
    regressor.fit(std::span(sine.x).first(60), std::span(sine.y).first(60), {}, predicting);
    expect_new();
  }
}

// A mixture of the members' own predictions, in the order of the members. What is due to beliefs is multiplied by the ensemble's
// own scale, which is the same for all rows and between a quarter and 1.25.
TEST(RegressorWiring, SixteenMembersAreMixedAsTheyPredict) {
  const Sine sine = noisy_sine(120, 1);
  EstimatorOptions options = small();
  options.ensemble_size = 16;
  options.varying_noise = false;
  options.learned_shape = false;
  options.precision = network::Precision::float64;
  Regressor regressor(options);
  regressor.fit(sine.x, sine.y);
  const Estimator::ColumnScale scale = regressor.target_scales().front();
  const SparseInputs x = regressor.encoded_inputs(sine.x);
  const Forecast found = regressor.predict(sine.x);
  const double noise = regressor.noise_variance().front();
  std::vector<double> mean(sine.x.size()), square(sine.x.size());
  for (std::size_t m = 0; m < 16; ++m) {
    const network::Network::OutputMoments own = regressor.network(m).predict(x);
    for (std::size_t i = 0; i < mean.size(); ++i) {
      mean[i] += own.mean[i] / 16;
      square[i] += (own.mean[i] * own.mean[i] + own.variance[i]) / 16;
    }
    EXPECT_EQ(regressor.noise_variance(m).front(), noise);
  }
  const auto epistemic = [&](std::size_t i) {
    return found.variance[i] / (scale.std * scale.std) - noise;
  };
  const double scaled_by = epistemic(0) / (square[0] - mean[0] * mean[0]);
  EXPECT_GT(scaled_by, 0.25 * 0.25 - kRounding);
  EXPECT_LT(scaled_by, 1.25 * 1.25 + kRounding);
  for (std::size_t i = 0; i < mean.size(); ++i) {
    EXPECT_NEAR((found.mean[i] - scale.mean) / scale.std, mean[i], kRounding);
    EXPECT_NEAR(epistemic(i), scaled_by * (square[i] - mean[i] * mean[i]), kRounding);
  }
}

// Rows come in pairs that are all but the same, with the noise in common: a network that has learned one of a pair knows the
// other, and says so unless pairs are groups. Groups of a row each are none.
TEST(RegressorWiring, GroupsReachTheFolds) {
  RandomStream random(21, 0);
  Sine pairs;
  std::vector<std::uint32_t> alone, in_pairs;
  for (std::uint32_t i = 0; i < 120; ++i) {
    const double x = random.uniform(-3, 3), y = std::sin(x) + kSineNoise * random.normal();
    for (const double off : {0.0, 1e-6}) {
      pairs.x.push_back(x + off);
      pairs.y.push_back(y);
      alone.push_back(static_cast<std::uint32_t>(alone.size()));
      in_pairs.push_back(900 - i);
    }
  }
  EstimatorOptions options = small();
  options.ensemble_size = 8;
  options.training.max_epochs = 60;
  const auto fitted = [&](std::span<const std::uint32_t> groups) {
    Regressor out(options);
    out.fit(pairs.x, pairs.y, {}, {}, groups);
    return out;
  };
  const Regressor without = fitted({}), single = fitted(alone), grouped = fitted(in_pairs);
  EXPECT_EQ(single.predict(pairs.x).variance, without.predict(pairs.x).variance);
  EXPECT_NE(grouped.predict(pairs.x).variance, without.predict(pairs.x).variance);
  EXPECT_LT(grouped.out_of_fold_score()->log_likelihood,
            without.out_of_fold_score()->log_likelihood);
  EXPECT_EQ(complaint([&] { fitted(std::span(alone).first(3)); }),
            "groups = 3: must be one for each row, or none");
}

}  // namespace
}  // namespace postrider
