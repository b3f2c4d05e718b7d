// Classification with calibrated probabilities: fit, predict, save.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "postrider/estimator.h"
#include "postrider/export.h"

namespace postrider {

// A network with one score per class, or a single score for two classes. Labels are class numbers from 0.
class POSTRIDER_EXPORT Classifier : public Estimator {
 public:
  struct Validation;  // in postrider/cross_validation.h

  // Throws InvalidArgument, also for options that are for numeric targets only.
  explicit Classifier(const EstimatorOptions& options = {});

  using Estimator::fit;
  using Estimator::partial_fit;
  // As of Regressor.
  std::vector<FitReport> fit(const Inputs& inputs, std::span<const std::size_t> labels,
                             std::span<const double> sample_weights = {},
                             const TrainingCallbacks& callbacks = {},
                             std::span<const std::uint32_t> groups = {});
  StreamReport partial_fit(const Inputs& inputs, std::span<const std::size_t> labels,
                           std::span<const double> sample_weights = {});

  // Row by row, one probability per class; each row sums to 1.
  std::vector<double> predict_probabilities(const Inputs& inputs) const;
  // Row by row the most probable class.
  std::vector<std::size_t> predict(const Inputs& inputs) const;

  // Throw FileError or CorruptFile.
  static Classifier load(const std::string& path);
  static Classifier load(std::istream& from);

  std::size_t classes() const;  // 0 before anything was learned
  double temperature() const;   // throws NotFitted before anything was learned

 private:
  explicit Classifier(std::unique_ptr<internal::EstimatorState> state);
};

}  // namespace postrider
