// Training many models in one call: the folds of a cross-validation, a model for each sensor or customer.
#pragma once

#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "postrider/estimator.h"
#include "postrider/export.h"
#include "postrider/inputs.h"
#include "postrider/training.h"

namespace postrider {

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
// No model may come twice.
POSTRIDER_EXPORT std::vector<FleetReport> fit_fleet(std::span<Estimator* const> models,
                                                    std::span<const Examples> rows,
                                                    const TrainingCallbacks& callbacks = {});
// The same for models of one kind, side by side or by their addresses.
template <std::ranges::input_range Models>
std::vector<FleetReport> fit_fleet(Models&& models, std::span<const Examples> rows,
                                   const TrainingCallbacks& callbacks = {}) {
  std::vector<Estimator*> addresses;
  for (auto&& model : models) {
    if constexpr (std::is_pointer_v<std::remove_cvref_t<decltype(model)>>)
      addresses.push_back(model);
    else
      addresses.push_back(&model);
  }
  return fit_fleet(std::span<Estimator* const>(addresses), rows, callbacks);
}

}  // namespace postrider
