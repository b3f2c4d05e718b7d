// Training many models in one call: the folds of a cross-validation, a model for each sensor or customer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "postrider/classifier.h"
#include "postrider/export.h"
#include "postrider/regressor.h"
#include "postrider/training.h"

namespace postrider {

// What one model learns, as fit() of its class takes it.
struct NumericRows {
  Inputs inputs;
  std::span<const double> targets;
  std::span<const double> sample_weights = {};
  std::span<const std::uint32_t> groups = {};
};
struct LabelledRows {
  Inputs inputs;
  std::span<const std::size_t> labels;
  std::span<const double> sample_weights = {};
  std::span<const std::uint32_t> groups = {};
};

// What became of one model. Where nothing was learned the model is as it was before the call.
struct FleetReport {
  std::vector<FitReport> fits;  // one for each member; empty if nothing was learned
  std::string failure = {};     // why not; empty if training was cancelled before it began
};

// Each model learns its rows, as many as it has, with its own options, and ends as if fit() had been
// called on it: the others have no part in what it learns. Networks of one shape are trained side by side
// in the lanes of vectors, whichever models they belong to, as long as sixteen of them keep a message for
// each example within the store's budget and their beliefs in the cache; that is where it pays. A network
// that fit() would have put into lanes, too, comes out the same to the bit, any other one within the
// rounding of another order of sums.
//
// Progress counts networks through all models. Models with the same checkpoint have files of their own,
// numbered in the same way. Throws InvalidArgument, naming the model, before anything is learned.
POSTRIDER_EXPORT std::vector<FleetReport> fit_fleet(std::span<Regressor> models,
                                                    std::span<const NumericRows> rows,
                                                    const TrainingCallbacks& callbacks = {});
POSTRIDER_EXPORT std::vector<FleetReport> fit_fleet(std::span<Classifier> models,
                                                    std::span<const LabelledRows> rows,
                                                    const TrainingCallbacks& callbacks = {});
// The same for models that do not lie side by side. No model may come twice.
POSTRIDER_EXPORT std::vector<FleetReport> fit_fleet(std::span<Regressor* const> models,
                                                    std::span<const NumericRows> rows,
                                                    const TrainingCallbacks& callbacks = {});
POSTRIDER_EXPORT std::vector<FleetReport> fit_fleet(std::span<Classifier* const> models,
                                                    std::span<const LabelledRows> rows,
                                                    const TrainingCallbacks& callbacks = {});

}  // namespace postrider
