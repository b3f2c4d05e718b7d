// How the columns of an estimator become inputs, and on which scale its targets are learned: as asked for, or as small
// trials say.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "encode/input_encoding.h"
#include "estimator/state.h"

namespace postrider {

struct FormsOfColumns {
  InputEncoding inputs;
  TargetScale targets = TargetScale::plain;
  // Rows whose targets have told where columns are cut: they cannot judge networks that see these columns. None: no target was
  // looked at.
  std::vector<std::uint32_t> cut_by = {};
};

// A stream has the standard encoding and plain targets: later rows may have other cuts and ranks. Rows whose zeros stay
// zeros have the standard encoding, unless another one is asked for.
//
// What is to be chosen is the way with the highest log-likelihood in Trials: first one encoding for all columns, which
// is the standard one unless another is clearly better, then the scale of the targets. All rows are learned in the end. Whoever is interrupted meanwhile goes on with the best so
// far.
FormsOfColumns forms_for(const EstimatorState& state, const EstimatorRows& rows, bool is_stream,
                         const std::function<bool()>& interrupted = {});

}  // namespace postrider
