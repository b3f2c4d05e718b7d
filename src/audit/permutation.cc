#include <cmath>
#include <string>

#include "base/shuffle.h"
#include "postrider/error.h"
#include "postrider/network/audit.h"

namespace postrider::network {
using namespace internal;
namespace {

void expect_sense(std::size_t values, std::size_t columns,
                  const std::vector<std::vector<std::size_t>>& groups, const RowScore& score) {
  if (columns == 0 || values == 0 || values % columns != 0)
    reject("columns", columns, "must be at least 1 and divide the number of inputs");
  for (const std::vector<std::size_t>& group : groups)
    for (const std::size_t column : group)
      if (column >= columns)
        reject("groups", column, "must be below the number of columns, " + std::to_string(columns));
  if (!score) reject("score", "", "must be a function");
}

PermutationLoss summary(const std::vector<double>& losses) {
  const auto count = static_cast<double>(losses.size());
  PermutationLoss out;
  for (const double loss : losses) out.mean += loss / count;
  double squares = 0;
  for (const double loss : losses) squares += (loss - out.mean) * (loss - out.mean);
  out.standard_error = std::sqrt(squares / (count - 1) / count);
  return out;
}

}  // namespace

void PermutationLoss::Options::validate() const {
  if (repeats < 2) reject("repeats", repeats, "must be at least 2, for a standard error");
}

std::vector<PermutationLoss> permutation_importance(
    std::span<const double> inputs, std::size_t columns,
    const std::vector<std::vector<std::size_t>>& groups, const RowScore& score,
    const PermutationLoss::Options& options) {
  options.validate();
  expect_sense(inputs.size(), columns, groups, score);
  const std::size_t rows = inputs.size() / columns;
  const double before = score(inputs);
  std::vector<PermutationLoss> out;
  std::vector<double> shuffled(inputs.begin(), inputs.end());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    RandomStream random(options.seed, g);
    std::vector<double> losses;
    for (std::size_t repeat = 0; repeat < options.repeats; ++repeat) {
      const std::vector<std::size_t> order = random_order(rows, random);
      for (std::size_t r = 0; r < rows; ++r)
        for (const std::size_t c : groups[g])
          shuffled[r * columns + c] = inputs[order[r] * columns + c];
      losses.push_back(before - score(shuffled));
    }
    for (std::size_t r = 0; r < rows; ++r)
      for (const std::size_t c : groups[g]) shuffled[r * columns + c] = inputs[r * columns + c];
    out.push_back(summary(losses));
  }
  return out;
}

}  // namespace postrider::network
