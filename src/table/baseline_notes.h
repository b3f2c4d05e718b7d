// A baseline as text in the notes of a model file.
#pragma once

#include <string>

#include "table/state.h"

namespace postrider::internal {

std::string baseline_note(const Baseline& baseline);
// Throws InvalidArgument if the text is none, or does not fit the encoding.
Baseline read_baseline_note(const std::string& text, const TableEncoding& encoding);

}  // namespace postrider::internal
