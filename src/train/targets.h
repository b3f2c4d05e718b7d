// The targets of training rows under one likelihood: what the sweeps take, how well they were
// predicted, and the noise that would have predicted them better.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "postrider/network/trainer.h"
#include "sweep/observation.h"

namespace postrider::internal {

// What predictions of targets that were not learned yet say about the noise: squared residuals and
// variances of each output, or slopes of the log-likelihood by the logarithm of the noise.
struct NoiseEvidence {
  struct Output {
    std::vector<double> squared_residuals, variances, weights;  // no weights if all are 1
  };
  std::vector<Output> outputs;
  std::vector<double> slopes, slope_weights;  // of rows; no weights if all are 1
  // For each of these rows, where the noise varies, the logarithm of what it is predicted to be multiplied by.
  std::vector<double> levels;
};

struct Assessment {
  // Mean log-likelihood of the targets that are there, each counting by its weight; 0 if none is.
  double score = 0;
  double count = 0;    // of these targets, by weight
  double squares = 0;  // of the log-likelihoods of rows, which count by their weights; summed
  NoiseEvidence evidence;

  // The score's, over rows.
  double standard_error() const;

  void add(const Assessment& more);  // of other predictions
};

// The same of one row.
struct RowAssessment {
  double log_likelihood = 0;         // of all its targets
  std::size_t targets = 0;           // that are there
  std::vector<double> noise_slopes;  // one for each noise variance; 0 where no target is
};

// A row that counts more often is no row: training with it would diverge.
inline constexpr double kMostWeight = 100;
// Throws InvalidArgument if they are neither none nor a number above 0 for each row.
void expect_weights(std::span<const double> weights, std::size_t rows);

template <class T>
class Targets {
 public:
  virtual ~Targets() = default;

  virtual std::size_t per_row() const = 0;
  // Throws InvalidArgument if there are not as many as the rows need, or one makes no sense.
  // Weights are none, or one above 0 for each row.
  void load(std::span<const double> targets, std::size_t rows,
            std::span<const double> weights = {});
  std::span<const T> values() const { return values_; }
  bool is_weighted() const { return !weights_.empty(); }
  double weight(std::size_t row) const { return is_weighted() ? weights_[row] : 1; }

  // The noise variances to begin with. Throws InvalidArgument if there are too few or too many.
  virtual std::vector<double> first_noise(const std::vector<double>& given) const = 0;
  // One for each thread that learns; null where the noise is Gaussian. Where the noise varies, it may
  // be kept from doing so.
  virtual std::unique_ptr<Observation<T>> observation(bool noise_may_vary = true) const = 0;

  // How well these rows are predicted.
  virtual Assessment assess(const Predictions<const T>& predicted, const std::vector<double>& noise,
                            std::span<const std::uint32_t> rows) const = 0;
  Assessment assess_all(const Predictions<const T>& predicted,
                        const std::vector<double>& noise) const;
  virtual RowAssessment assess_row(const Predictions<const T>& predicted, std::size_t row,
                                   const std::vector<double>& noise) const = 0;
  // The noise for the next epoch.
  virtual std::vector<double> learned_noise(const std::vector<double>& present,
                                            const NoiseEvidence& evidence,
                                            bool is_first_epoch) const = 0;
  // The noise variances of standardised targets are looked for between these.
  struct NoiseRange {
    double least, most;
  };
  virtual NoiseRange noise_range() const = 0;
  // The noise variance of the first target, of a row in the middle where rows differ.
  virtual double typical_noise(const Predictions<const T>& /*predicted*/,
                               const std::vector<double>& noise) const {
    return noise.front();
  }

 protected:
  virtual const char* accepted_count() const = 0;
  virtual void expect_sense(double target) const = 0;
  virtual void loaded() {}

  std::vector<T> values_;
  std::vector<double> weights_;  // of the rows; empty if all are 1
};

template <class T>
std::unique_ptr<Targets<T>> make_targets(network::Likelihood likelihood, std::size_t outputs);

// The kinds of targets; for make_targets.
template <class T>
std::unique_ptr<Targets<T>> make_gaussian_targets(std::size_t outputs);
template <class T>
std::unique_ptr<Targets<T>> make_class_targets(std::size_t outputs);
template <class T>
std::unique_ptr<Targets<T>> make_varying_noise_targets(std::size_t outputs);

}  // namespace postrider::internal
