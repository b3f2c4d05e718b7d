// How the columns of an estimator become inputs: as asked for, or as small trials say.
#pragma once

#include <functional>

#include "encode/input_encoding.h"
#include "estimator/state.h"

namespace postrider {

// A stream has the standard encoding: later rows may have other cuts and ranks. So have rows whose zeros stay zeros,
// unless another one is asked for.
//
// Where it is to be chosen, networks with each of the encodings learn a part of some rows for a few epochs and
// predict the others; the encoding with the highest log-likelihood is used for all columns. Knots and bins of a
// trial are found in the part that it learns. All rows are learned in the end.
// Whoever is interrupted meanwhile goes on with the standard encoding.
InputEncoding encoding_for(const EstimatorState& state, const EstimatorRows& rows, bool is_stream,
                           const std::function<bool()>& interrupted = {});

}  // namespace postrider
