// Regression with uncertainty, in the units of the data: fit, predict, save.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "postrider/network.h"
#include "postrider/trainer.h"

namespace postrider {

struct RegressorOptions {
  std::vector<std::size_t> hidden{50, 50};  // units per hidden layer, at most
  // Where the network would have more weights than this for each row of fit(), its layers are
  // narrowed until it has not: a factorised belief in more weights than examples hardly learns. 0
  // narrows nothing. network() tells the widths.
  double weights_per_example = 1;
  std::size_t outputs = 1;
  // Whether the noise depends on the inputs: the network then has a second output for each target,
  // the logarithm of what its noise is multiplied by.
  bool varying_noise = false;
  Activation activation = Activation::leaky_relu;
  double slope = 0.05;
  Precision precision = Precision::float32;
  // In standardised units: every input and target has mean 0 and deviation 1. The trainer's seed
  // draws the prior means, too.
  TrainerOptions training = {};

  void validate() const;  // throws InvalidArgument
};

// Row by row and in the units of the targets.
struct Forecast {
  std::vector<double> mean;
  std::vector<double> variance;  // of a new observation: what the weights leave open, and noise
  std::vector<double> noise_variance;  // of it, the noise
};

class RegressorState;

// A network behind the scales of the data. Inputs may be missing (NaN).
class Regressor {
 public:
  explicit Regressor(const RegressorOptions& options = {});
  ~Regressor();
  Regressor(Regressor&&) noexcept;
  Regressor& operator=(Regressor&&) noexcept;

  // Forgets what was learned before. The number of inputs follows from the sizes.
  FitReport fit(std::span<const double> inputs, std::span<const double> targets);
  // Learns from more rows, each once. The first call fixes the scales: give it a good sample.
  void partial_fit(std::span<const double> inputs, std::span<const double> targets);

  Forecast predict(std::span<const double> inputs) const;
  // Mean log-density of the targets given the inputs, in their units. Where the noise varies a
  // prediction is no Gaussian: this integrates over what is not known of the noise.
  double log_likelihood(std::span<const double> inputs, std::span<const double> targets) const;

  // Throw Error if nothing was learned yet, or the file cannot be written or read.
  // The notes are kept in the file's metadata, for whoever loads it.
  void save(const std::string& path, const std::map<std::string, std::string>& notes = {}) const;
  static Regressor load(const std::string& path);
  const std::map<std::string, std::string>& notes() const;  // of the file that was loaded

  const RegressorOptions& options() const;
  std::size_t inputs() const;      // 0 before anything was learned
  const Network& network() const;  // throws Error before anything was learned

 private:
  std::unique_ptr<RegressorState> state_;
};

}  // namespace postrider
