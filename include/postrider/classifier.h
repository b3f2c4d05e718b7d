// Classification with calibrated probabilities: fit, predict, save.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "postrider/column_scale.h"
#include "postrider/network.h"
#include "postrider/trainer.h"

namespace postrider {

struct ClassifierOptions {
  std::vector<std::size_t> hidden{50, 50};  // units per hidden layer, at most
  std::size_t classes = 0;                  // 0: one more than the largest label of the first rows
  // As in RegressorOptions.
  double weights_per_example = 1;
  std::size_t members = 0;
  double power = 0;
  // This share of the rows is not learned: it sets the temperature of the probabilities. Nothing is
  // held out of less than a thousand rows, or with 0.
  double calibration_share = 0.05;
  Activation activation = Activation::leaky_relu;
  double slope = 0.05;
  Precision precision = Precision::float32;
  // As in RegressorOptions. Its likelihood is always that of classes.
  TrainerOptions training = {.likelihood = Likelihood::classes};

  void validate() const;  // throws InvalidArgument
};

class ClassifierState;

// A network with one score per class, or a single score for two classes, behind the scales of the
// data. Labels are class numbers from 0. Inputs may be missing (NaN).
class Classifier {
 public:
  explicit Classifier(const ClassifierOptions& options = {});
  ~Classifier();
  Classifier(Classifier&&) noexcept;
  Classifier& operator=(Classifier&&) noexcept;

  // Forgets what was learned before. The number of inputs follows from the sizes. A report per member.
  // Weights are none, or a number above 0 for each row, which counts as so many: see weighted_rows().
  std::vector<FitReport> fit(std::span<const double> inputs, std::span<const std::size_t> labels,
                             std::span<const double> weights = {});
  // Learns from more rows, each once. The first call fixes the scales and the number of classes:
  // give it a good sample.
  void partial_fit(std::span<const double> inputs, std::span<const std::size_t> labels,
                   std::span<const double> weights = {});

  // Row by row, one probability per class; each row sums to 1.
  std::vector<double> predict_probabilities(std::span<const double> inputs) const;
  // Row by row the most probable class.
  std::vector<std::size_t> predict(std::span<const double> inputs) const;

  // Throw Error if nothing was learned yet, or the file cannot be written or read.
  // The notes are kept in the file's metadata, for whoever loads it.
  void save(const std::string& path, const std::map<std::string, std::string>& notes = {}) const;
  static Classifier load(const std::string& path);
  // The bytes of that file, for a stream that can seek.
  void save(std::ostream& to, const std::map<std::string, std::string>& notes = {}) const;
  static Classifier load(std::istream& from);
  const std::map<std::string, std::string>& notes() const;  // of the file that was loaded

  const ClassifierOptions& options() const;
  // From now on; results do not depend on it. Throws InvalidArgument for 0.
  void use_threads(unsigned threads);
  std::size_t inputs() const;   // 0 before anything was learned
  std::size_t classes() const;  // 0 before anything was learned
  std::size_t members() const;  // 0 before anything was learned
  // Throw Error before anything was learned, InvalidArgument if there is no such member. The noise is
  // that of the scores.
  double noise_variance(std::size_t member = 0) const;
  double temperature() const;
  const Network& network(std::size_t member = 0) const;
  // How inputs become what the networks see, one for each column.
  std::vector<ColumnScale> input_scales() const;
  // As the networks see them.
  std::vector<double> standardised_inputs(std::span<const double> inputs) const;

 private:
  explicit Classifier(std::unique_ptr<ClassifierState> state);
  std::unique_ptr<ClassifierState> state_;
};

}  // namespace postrider
