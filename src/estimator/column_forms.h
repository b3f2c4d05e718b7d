// How the columns of an estimator become inputs, and on which scale its targets are learned.
#pragma once

#include <cstdint>
#include <vector>

#include "encode/input_encoding.h"
#include "estimator/state.h"

namespace postrider::internal {

// What training must know of columns and targets before it begins; where it is to be chosen, choose_preparation() does.
struct Preparation {
  Encoding encoding = Encoding::standard;
  EstimatorOptions::TargetScale targets = EstimatorOptions::TargetScale::plain;

  friend bool operator==(const Preparation&, const Preparation&) = default;
};

struct FormsOfColumns {
  InputEncoding inputs;
  EstimatorOptions::TargetScale targets = EstimatorOptions::TargetScale::plain;
  // Rows whose targets have told where columns are cut: they cannot judge networks that see these columns. None: no target was
  // looked at.
  std::vector<std::uint32_t> cut_by = {};
};

// Nothing may be left to be chosen.
FormsOfColumns forms_of(const EstimatorState& state, const Examples& rows,
                        const Preparation& preparation);

// A stream has the standard encoding and plain targets, unless roots are asked for: later rows may have other cuts and ranks.
Preparation stream_preparation(const EstimatorOptions& options);

// The number of classes, from the labels; 0 for numeric targets.
std::size_t classes_in(const EstimatorState& state, const Examples& rows);

}  // namespace postrider::internal
