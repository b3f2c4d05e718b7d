// Something simple that every model must beat.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "table/learning.h"
#include "table/state.h"

namespace postrider::internal {

// Fitted to these rows, whose missing inputs are NaN; of very many rows, to some that lie evenly among them.
Baseline fit_baseline(const TableEncoding& encoding, const LearnedRows& rows);

// What the linear model says of rows as add_rows() makes them: numbers, or row by row the probabilities of classes.
std::vector<double> linear_prediction(const Baseline& baseline, const SparseInputs& inputs);

// Throws InvalidArgument if a baseline, as a file says it, does not fit the encoding or has no sense.
void expect_sense(const Baseline& baseline, const TableEncoding& encoding);

// --- A baseline as text in the notes of a model file.

std::string baseline_note(const Baseline& baseline);
// Throws InvalidArgument if the text is none, or does not fit the encoding.
Baseline read_baseline_note(const std::string& text, const TableEncoding& encoding);

}  // namespace postrider::internal
