// Classification with calibrated probabilities: fit, predict, save.
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

struct ClassifierOptions {
  std::vector<std::size_t> hidden{50, 50};  // units per hidden layer, at most
  std::size_t classes = 0;                  // 0: one more than the largest label of the first rows
  double weights_per_example = 1;           // as in RegressorOptions
  Activation activation = Activation::leaky_relu;
  double slope = 0.05;
  Precision precision = Precision::float32;
  // Its likelihood is always that of classes. The seed draws the prior means, too.
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

  // Forgets what was learned before. The number of inputs follows from the sizes.
  FitReport fit(std::span<const double> inputs, std::span<const std::size_t> labels);
  // Learns from more rows, each once. The first call fixes the scales and the number of classes:
  // give it a good sample.
  void partial_fit(std::span<const double> inputs, std::span<const std::size_t> labels);

  // Row by row, one probability per class; each row sums to 1.
  std::vector<double> predict_probabilities(std::span<const double> inputs) const;
  // Row by row the most probable class.
  std::vector<std::size_t> predict(std::span<const double> inputs) const;

  // Throw Error if nothing was learned yet, or the file cannot be written or read.
  // The notes are kept in the file's metadata, for whoever loads it.
  void save(const std::string& path, const std::map<std::string, std::string>& notes = {}) const;
  static Classifier load(const std::string& path);
  const std::map<std::string, std::string>& notes() const;  // of the file that was loaded

  const ClassifierOptions& options() const;
  std::size_t inputs() const;      // 0 before anything was learned
  std::size_t classes() const;     // 0 before anything was learned
  double noise_variance() const;   // of the scores; throws Error before anything was learned
  const Network& network() const;  // throws Error before anything was learned

 private:
  std::unique_ptr<ClassifierState> state_;
};

}  // namespace postrider
