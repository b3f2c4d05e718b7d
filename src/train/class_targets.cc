// Class numbers: the largest of noisy scores, or the sign of a single one.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "base/golden_section.h"
#include "factor/choice.h"
#include "factor/step.h"
#include "factor/tilted-inl.h"
#include "postrider/error.h"
#include "postrider/network/trainer.h"
#include "train/class_scores.h"
#include "train/observed_targets.h"

namespace postrider::internal {

namespace {

// The logarithm of a temperature is N(0, this deviation squared) before rows speak.
constexpr double kDeviation = 0.5;
constexpr double kReach = 5;  // deviations
constexpr int kSteps = 24;    // of a golden section: to 1e-4 of a deviation
constexpr double kLeastProbability = 1e-12;

double log_posterior(std::span<const network::Trainer::NoisyScores> networks, std::size_t outputs,
                     std::span<const std::size_t> labels, Workers& workers,
                     std::span<const double> weights, double log_temperature) {
  std::vector<double> chosen(labels.size());
  for (const network::Trainer::NoisyScores& network : networks) {
    const std::vector<double> own =
        class_probabilities_of(labels, network.scores, outputs, network.noise_variance, workers,
                               std::exp(log_temperature));
    for (std::size_t row = 0; row < labels.size(); ++row)
      chosen[row] += own[row] / static_cast<double>(networks.size());
  }
  const double deviations = log_temperature / kDeviation;
  double sum = -0.5 * deviations * deviations;
  for (std::size_t row = 0; row < chosen.size(); ++row)
    sum +=
        (weights.empty() ? 1 : weights[row]) * std::log(std::max(kLeastProbability, chosen[row]));
  return sum;
}

}  // namespace

double class_temperature(std::span<const network::Trainer::NoisyScores> networks,
                         std::size_t outputs, std::span<const std::size_t> labels, Workers& workers,
                         std::span<const double> weights) {
  for (const network::Trainer::NoisyScores& network : networks)
    if (network.scores.mean.size() != labels.size() * outputs)
      reject("labels", labels.size(), "must be one for each row of scores");
  if (!weights.empty() && weights.size() != labels.size())
    reject("weights", weights.size(), "must be one for each row, or none");
  for (const std::size_t label : labels)
    if (label >= network::classes_of(outputs))
      reject("labels", label, "must be below " + std::to_string(network::classes_of(outputs)));
  if (networks.empty() || labels.empty()) return 1;
  return std::exp(golden_section(
      -kReach * kDeviation, kReach * kDeviation, kSteps, [&](double log_temperature) {
        return log_posterior(networks, outputs, labels, workers, weights, log_temperature);
      }));
}

}  // namespace postrider::internal

namespace postrider::internal {
namespace {

constexpr double kFirstScoreNoise = 0.05;
// The one noise variance of the scores, whose prior variance is of the order of 1, is looked for
// between these.
constexpr double kLeastScoreNoise = 1e-4, kMostScoreNoise = 1e2;
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kRowsPerTask = 64;

// Beliefs in the scores of one row, and the log-probability of a class with its derivatives: the
// factor `choice`, or `probit` if there is one score, which is positive for class 1.
class RowOfScores {
 public:
  explicit RowOfScores(std::size_t outputs)
      : mean_(outputs), variance_(outputs), g1_(outputs), g2_(outputs) {}

  template <class T>
  void set(std::span<const T> mean, std::span<const T> variance) {
    std::ranges::copy(mean, mean_.begin());
    std::ranges::copy(variance, variance_.begin());
  }

  double log_probability(std::size_t chosen, double noise) {
    if (mean_.size() == 1) return sign_of(chosen, noise).log_z;
    return choice_log_probability({mean_, variance_, noise}, chosen, work_);
  }

  // For two scores or more. Returns the log-probability; counts the messages that had to be guarded.
  double derive(std::size_t chosen, double noise, std::size_t& guarded) {
    return choice_derivatives({mean_, variance_, noise}, chosen, {g1_, g2_}, work_, guarded);
  }

  void probabilities(std::span<double> out, double noise) {
    if (mean_.size() > 1) return choice_probabilities({mean_, variance_, noise}, out, work_);
    out[1] = std::exp(log_probability(1, noise));
    out[0] = std::exp(log_probability(0, noise));
  }

  std::span<const double> g1() const { return g1_; }
  std::span<const double> g2() const { return g2_; }
  std::span<const double> variance() const { return variance_; }

 private:
  HWY_NAMESPACE::Alternative<double> sign_of(std::size_t chosen, double noise) const {
    return HWY_NAMESPACE::step_alternative(chosen == 1 ? 1.0 : -1.0, 0.0, noise,
                                           {mean_[0], variance_[0]});
  }

  std::vector<double> mean_, variance_, g1_, g2_;
  ChoiceWork work_;
};

// The variance of a score counts for half of the second derivative by its mean.
double slope_of(double noise, double g1, double g2) { return 0.5 * noise * (g1 * g1 - g2); }

// A single score's sign.
template <class T>
class SignObservation : public Observation<T> {
 public:
  std::size_t targets_per_row() const override { return 1; }

  Observed observe(const OutputRow<T>& row, const OutputBack<T>& back,
                   SweepRecord& /*record*/) override {
    PackObserved out;
    observe_lanes({row.mean, row.variance, row.targets, row.noise_variance}, 1, back, out);
    return out.observed[0];
  }

  PackObserved observe_pack(const PackRow<T>& row, const OutputBack<T>& back) override {
    PackObserved out;
    observe_lanes(row, kPack, back, out);
    return out;
  }

 private:
  using Lanes = std::array<double, kPack>;

  // For `width` networks. A missing target is taken for some class, of which nothing comes.
  void observe_lanes(const PackRow<T>& row, std::size_t width, const OutputBack<T>& back,
                     PackObserved& out) {
    for (std::size_t lane = 0; lane < width; ++lane) {
      sign_[lane] = row.targets[lane] == 1 ? 1.0 : -1.0;
      noise_[lane] = static_cast<double>(row.noise_variance[lane]);
      mean_[lane] = static_cast<double>(row.mean[lane]);
      variance_[lane] = static_cast<double>(row.variance[lane]);
    }
    const auto in = [&](const Lanes& lanes) { return std::span<const double>(lanes).first(width); };
    const auto found = [&](Lanes& lanes) { return std::span<double>(lanes).first(width); };
    step_derivatives({in(sign_), in(noise_), in(mean_), in(variance_)},
                     {found(log_z_), found(g1_), found(g2_)}, level_);
    for (std::size_t lane = 0; lane < width; ++lane) {
      if (std::isnan(row.targets[lane])) {
        say_nothing(back, lane);
        out.observed[lane] = {kMissing, 0};
        continue;
      }
      out.observed[lane] = {log_z_[lane], slope_of(noise_[lane], g1_[lane], g2_[lane])};
      say_tilted(back, lane, g1_[lane], g2_[lane], variance_[lane], noise_[lane]);
    }
  }

  SimdLevel level_ = SimdLevel::best();
  Lanes sign_, noise_, mean_, variance_, log_z_, g1_, g2_;
};

template <class T>
class ClassObservation : public Observation<T> {
 public:
  explicit ClassObservation(std::size_t outputs) : row_(outputs) {}

  std::size_t targets_per_row() const override { return 1; }

  Observed observe(const OutputRow<T>& row, const OutputBack<T>& back,
                   SweepRecord& record) override {
    if (std::isnan(row.targets[0])) {
      for (std::size_t k = 0; k < row.mean.size(); ++k) say_nothing(back, k);
      return {kMissing, 0};
    }
    const auto noise = static_cast<double>(row.noise_variance[0]);
    row_.set(row.mean, row.variance);
    Observed out;
    out.log_likelihood =
        row_.derive(static_cast<std::size_t>(row.targets[0]), noise, record.guarded);
    for (std::size_t k = 0; k < row.mean.size(); ++k) {
      const double g1 = row_.g1()[k], g2 = row_.g2()[k];
      out.noise_slope += slope_of(noise, g1, g2);
      say_tilted(back, k, g1, g2, row_.variance()[k], noise);
    }
    return out;
  }

 private:
  RowOfScores row_;
};

template <class T>
class ClassTargets : public ObservedTargets<T> {
 public:
  explicit ClassTargets(std::size_t outputs) : outputs_(outputs) {}

  std::size_t per_row() const override { return 1; }

  std::unique_ptr<Observation<T>> observation(bool /*noise_may_vary*/) const override {
    if (outputs_ == 1) return std::make_unique<SignObservation<T>>();
    return std::make_unique<ClassObservation<T>>(outputs_);
  }
  typename Targets<T>::NoiseRange noise_range() const override {
    return {kLeastScoreNoise, kMostScoreNoise};
  }

 private:
  const char* accepted_count() const override { return "must hold one class number per row"; }
  void expect_sense(double target) const override {
    const auto classes = static_cast<double>(network::classes_of(outputs_));
    if (std::isnan(target) || (target >= 0 && target < classes && target == std::floor(target)))
      return;
    std::string accepted = "must be class numbers, whole numbers from 0 to ";
    accepted += std::to_string(network::classes_of(outputs_) - 1);
    accepted += ", or NaN for a missing one";
    reject("targets", target, accepted);
  }

  typename ObservedTargets<T>::FirstNoise usual_noise() const override {
    return {kFirstScoreNoise, "must hold one value for all scores of classes"};
  }

  double log_density(const Predictions<const T>& predicted, std::size_t row,
                     double noise) const override {
    RowOfScores scores(outputs_);
    scores.set(predicted.mean.subspan(row * outputs_, outputs_),
               predicted.variance.subspan(row * outputs_, outputs_));
    return scores.log_probability(static_cast<std::size_t>(this->values_[row]), noise);
  }

  std::size_t outputs_;
};

}  // namespace

}  // namespace postrider::internal

namespace postrider::network {
using namespace internal;

std::size_t classes_of(std::size_t outputs) { return std::max<std::size_t>(2, outputs); }

}  // namespace postrider::network

namespace postrider::internal {

namespace {

// Calls use(row's number, its scores, noise variance) in parallel. Throws InvalidArgument if the sizes do not fit.
template <class Use>
void for_each_row(const network::Network::OutputMoments& scores, std::size_t outputs,
                  double noise_variance, Workers& workers, double temperature, Use&& use) {
  if (outputs == 0 || scores.mean.size() % outputs != 0)
    reject("outputs", outputs, "must be at least 1 and divide the number of scores");
  if (scores.variance.size() != scores.mean.size())
    reject("scores.variance", scores.variance.size(), "must be as many as the means");
  if (!(noise_variance >= kLeastNoiseVariance && noise_variance <= kMostNoiseVariance))
    reject("noise_variance", noise_variance, "must be a number of at least 1e-30 and at most 1e30");
  if (!(temperature > 0 && std::isfinite(temperature)))
    reject("temperature", temperature, "must be a number above 0");
  const std::size_t rows = scores.mean.size() / outputs;
  const std::size_t tasks = (rows + kRowsPerTask - 1) / kRowsPerTask;
  workers.run(tasks, [&](std::size_t task) {
    RowOfScores row(outputs);
    std::vector<double> variance(outputs);
    const std::size_t first = task * kRowsPerTask;
    for (std::size_t r = first; r < std::min(rows, first + kRowsPerTask); ++r) {
      for (std::size_t k = 0; k < outputs; ++k)
        variance[k] = temperature * scores.variance[r * outputs + k];
      row.set(std::span(scores.mean).subspan(r * outputs, outputs),
              std::span<const double>(variance));
      use(r, row, temperature * noise_variance);
    }
  });
}

void expect_finite(const std::vector<double>& probabilities) {
  if (!std::ranges::all_of(probabilities, [](double p) { return std::isfinite(p); }))
    throw Error("a probability is not a number: the scores are too large");
}

}  // namespace

std::vector<double> class_probabilities(const network::Network::OutputMoments& scores,
                                        std::size_t outputs, double noise_variance,
                                        Workers& workers, double temperature) {
  const std::size_t classes = network::classes_of(outputs);
  std::vector<double> out(scores.mean.size() / std::max<std::size_t>(1, outputs) * classes);
  for_each_row(scores, outputs, noise_variance, workers, temperature,
               [&](std::size_t r, RowOfScores& row, double noise) {
                 row.probabilities(std::span(out).subspan(r * classes, classes), noise);
               });
  expect_finite(out);
  return out;
}

std::vector<double> class_probabilities_of(std::span<const std::size_t> labels,
                                           const network::Network::OutputMoments& scores,
                                           std::size_t outputs, double noise_variance,
                                           Workers& workers, double temperature) {
  std::vector<double> out(labels.size());
  for_each_row(scores, outputs, noise_variance, workers, temperature,
               [&](std::size_t r, RowOfScores& row, double noise) {
                 out[r] = std::exp(row.log_probability(labels[r], noise));
               });
  expect_finite(out);
  return out;
}

}  // namespace postrider::internal

namespace postrider::network {

std::vector<double> class_probabilities(const Network::OutputMoments& scores, std::size_t outputs,
                                        double noise_variance, unsigned threads,
                                        double temperature) {
  Workers workers(threads);
  return class_probabilities(scores, outputs, noise_variance, workers, temperature);
}

}  // namespace postrider::network

namespace postrider::internal {

template <class T>
std::unique_ptr<Targets<T>> make_class_targets(std::size_t outputs) {
  return std::make_unique<ClassTargets<T>>(outputs);
}

template std::unique_ptr<Targets<float>> make_class_targets(std::size_t);
template std::unique_ptr<Targets<double>> make_class_targets(std::size_t);

}  // namespace postrider::internal

namespace postrider::network {
using namespace internal;

double class_temperature(std::span<const Trainer::NoisyScores> networks, std::size_t outputs,
                         std::span<const std::size_t> labels, unsigned threads,
                         std::span<const double> weights) {
  Workers workers(threads);
  return class_temperature(networks, outputs, labels, workers, weights);
}

}  // namespace postrider::network
