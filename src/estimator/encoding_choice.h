// Which encoding of the columns and which scale of the targets an estimator has, where that is to be chosen.
#pragma once

#include <memory>
#include <optional>

#include "estimator/column_forms.h"
#include "estimator/fitting.h"
#include "estimator/race.h"
#include "estimator/state.h"

namespace postrider::internal {

struct ChosenPreparation {
  Preparation preparation;
  // Networks that were trained to find it, if they are those of the estimator: they go on, and what comes of them is the same as if they began anew.
  std::unique_ptr<Fitting> begun = {};
  // Whoever ends training before these have learned an epoch has this at least.
  std::optional<SmallModel> small = {};
};

// As asked for, and what is left open as a race of ensembles says (estimator/race.h): first one encoding for all columns, which
// is the standard one unless another is clearly better, then the scale of the targets. Rows whose zeros stay zeros have the
// standard encoding unless another one is asked for. Whoever is interrupted meanwhile goes on with the best so far. The estimator and the rows must
// outlive what is begun.
ChosenPreparation choose_preparation(EstimatorState& state, const Examples& rows,
                                     const TrainingCallbacks& callbacks);

}  // namespace postrider::internal
