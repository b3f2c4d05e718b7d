// Functions drawn from the beliefs of a fitted model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/workers.h"
#include "estimator/model_file.h"
#include "postrider/function_draw.h"

namespace postrider::internal {

// Rows as a model's networks see them.
struct RowsToCondition {
  SparseInputs inputs;
  std::vector<double> targets;  // as they are learned, row by row; NaN where missing
  // Member by member: of each target its precision, the inverse of its noise's variance.
  std::vector<std::vector<double>> precisions;
  bool noise_is_known = false;  // else it is a guess, and rows may say otherwise
};

RowsToCondition rows_to_condition(const FittedModel& model, const Examples& rows,
                                  std::optional<double> noise_std,
                                  std::span<const network::Network::OutputMoments> predicted);

// Each by one member, as likely as its share says, with all its weights drawn from its belief. Factorised beliefs know how
// uncertain each weight is and not which errors cancel. With rows, the weights of the last layer are therefore drawn from their
// exact belief, given these rows and the weights drawn below. Above hidden layers, the scale of their prior, and of noise that is not
// known, are drawn as well, by what the rows say. Function k depends on seed and k only.
std::vector<FunctionDraw> drawn_functions(const FittedModel& model, const RowsToCondition* rows,
                                          std::size_t count, std::uint64_t seed, Workers& workers);

}  // namespace postrider::internal
