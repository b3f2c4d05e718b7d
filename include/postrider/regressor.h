// Regression with uncertainty, in the units of the data: fit, predict, save.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "postrider/column_scale.h"
#include "postrider/distributions.h"
#include "postrider/network.h"
#include "postrider/trainer.h"

namespace postrider {

struct RegressorOptions {
  std::vector<std::size_t> hidden{50, 50};  // units per hidden layer, at most
  // Where the network would have more weights than this for each row of fit(), its layers are
  // narrowed until it has not: a factorised belief in more weights than examples hardly learns. 0
  // narrows nothing. network() tells the widths.
  double weights_per_example = 1;
  // Networks that differ in their prior means and are averaged; 0: eight where rows are few, one from
  // a few thousand on. A stream without a fit() has one.
  std::size_t members = 0;
  // Each example's messages to the weights are raised to this power; 0: one and the number of weights
  // per example, at most 2, which makes up for the variance that a factorised belief leaves too much.
  double power = 0;
  std::size_t outputs = 1;
  // Whether the noise depends on the inputs: the network then has a second output for each target,
  // the logarithm of what its noise is multiplied by.
  bool varying_noise = true;
  Activation activation = Activation::leaky_relu;
  double slope = 0.05;
  Precision precision = Precision::float32;
  // In standardised units: every input and target has mean 0 and standard deviation 1. The trainer's seed
  // draws the prior means, too. Several members have a checkpoint each, with their number at the end
  // from the second on. Its likelihood and its power are not used.
  TrainerOptions training = {};

  void validate() const;  // throws InvalidArgument
};

class RegressorState;

// A network behind the scales of the data. Inputs may be missing (NaN).
class Regressor {
 public:
  explicit Regressor(const RegressorOptions& options = {});
  ~Regressor();
  Regressor(Regressor&&) noexcept;
  Regressor& operator=(Regressor&&) noexcept;

  // Forgets what was learned before. The number of inputs follows from the sizes. A report per member.
  // Weights are none, or a number above 0 for each row, which counts as so many: see weighted_rows().
  std::vector<FitReport> fit(std::span<const double> inputs, std::span<const double> targets,
                             std::span<const double> weights = {});
  // Learns from more rows, each once. The first call fixes the scales: give it a good sample.
  void partial_fit(std::span<const double> inputs, std::span<const double> targets,
                   std::span<const double> weights = {});

  Forecast predict(std::span<const double> inputs) const;
  // All that is known of new observations, in memory that grows with the rows.
  Distributions distributions(std::span<const double> inputs) const;
  // Of these, in memory that does not: the mean log-density of the targets that are numbers, quantiles
  // and draws.
  double log_likelihood(std::span<const double> inputs, std::span<const double> targets) const;
  std::vector<double> quantiles(std::span<const double> inputs,
                                std::span<const double> probabilities) const;
  std::vector<double> samples(std::span<const double> inputs, std::size_t count, std::uint64_t seed,
                              std::size_t first_row = 0) const;

  // Throw Error if nothing was learned yet, or the file cannot be written or read.
  // The notes are kept in the file's metadata, for whoever loads it.
  void save(const std::string& path, const std::map<std::string, std::string>& notes = {}) const;
  static Regressor load(const std::string& path);
  // The bytes of that file, for a stream that can seek.
  void save(std::ostream& to, const std::map<std::string, std::string>& notes = {}) const;
  static Regressor load(std::istream& from);
  const std::map<std::string, std::string>& notes() const;  // of the file that was loaded

  const RegressorOptions& options() const;
  // From now on; results do not depend on it. Throws InvalidArgument for 0.
  void use_threads(unsigned threads);
  std::size_t inputs() const;   // 0 before anything was learned
  std::size_t members() const;  // 0 before anything was learned
  // Throws Error before anything was learned, InvalidArgument if there is no such member.
  const Network& network(std::size_t member = 0) const;
  const std::vector<double>& noise_variance(std::size_t member = 0) const;  // standardised
  const std::vector<double>& target_deviations()
      const;  // what standardised targets are in units of
  // How inputs and targets become what the networks see, one for each column.
  std::vector<ColumnScale> input_scales() const;
  std::vector<ColumnScale> target_scales() const;
  // As the networks see them.
  std::vector<double> standardised_inputs(std::span<const double> inputs) const;
  std::vector<double> standardised_targets(std::span<const double> targets) const;

 private:
  explicit Regressor(std::unique_ptr<RegressorState> state);
  std::unique_ptr<RegressorState> state_;
};

}  // namespace postrider
