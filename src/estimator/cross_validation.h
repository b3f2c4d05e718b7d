// What cross-validations of estimators and of tables share.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "postrider/cross_validation.h"
#include "postrider/splits.h"

namespace postrider::internal {

// Some rows of those that have `width` values each; none of none.
template <class V>
std::vector<V> picked(std::span<const V> values, const std::vector<std::size_t>& rows,
                      std::size_t width) {
  std::vector<V> out;
  if (values.empty()) return out;
  for (const std::size_t row : rows)
    for (std::size_t k = 0; k < width; ++k) out.push_back(values[row * width + k]);
  return out;
}

std::vector<Fold> parts_of(std::span<const std::size_t> folds);

// The options with which folds are trained: one shape for all, that of the fewest rows, so that they can
// be trained side by side, and no checkpoint, which is for the model that is kept. Of classes, their
// number must be set.
EstimatorOptions options_of_folds(const EstimatorOptions& options, OptionInfo::Scope targets,
                                  std::size_t columns, std::size_t fewest_rows);

// Throws Error or Interrupted if one of them was not learned to the end.
void expect_learned(std::span<const FleetReport> folds);

}  // namespace postrider::internal
