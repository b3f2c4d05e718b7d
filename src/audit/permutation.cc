#include <cmath>
#include <string>

#include "base/shuffle.h"
#include "postrider/error.h"
#include "postrider/network/audit.h"

namespace postrider::network {
using namespace internal;
namespace {

void expect_sense(std::size_t values, std::size_t columns,
                  const std::vector<std::vector<std::size_t>>& groups, bool has_score,
                  const char* field) {
  if (columns == 0 || values == 0 || values % columns != 0)
    reject("columns", columns, "must be at least 1 and divide the number of inputs");
  for (const std::vector<std::size_t>& group : groups)
    for (const std::size_t column : group)
      if (column >= columns)
        reject("groups", column, "must be below the number of columns, " + std::to_string(columns));
  if (!has_score) reject(field, "", "must be a function");
}

PermutationLoss summary(const std::vector<double>& losses) {
  const auto count = static_cast<double>(losses.size());
  PermutationLoss out;
  for (const double loss : losses) out.mean += loss / count;
  double squares = 0;
  for (const double loss : losses) squares += (loss - out.mean) * (loss - out.mean);
  out.standard_error = count > 1 ? std::sqrt(squares / (count - 1) / count) : 0;
  return out;
}

// Calls use(group, all rows with the group's columns shuffled) for each permutation, group after group.
template <class Use>
void for_each_shuffle(std::span<const double> inputs, std::size_t columns,
                      const std::vector<std::vector<std::size_t>>& groups,
                      const PermutationLoss::Options& options, Use&& use) {
  const std::size_t rows = inputs.size() / columns;
  std::vector<double> shuffled(inputs.begin(), inputs.end());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    RandomStream random(options.seed, g);
    for (std::size_t repeat = 0; repeat < options.repeats; ++repeat) {
      const std::vector<std::size_t> order = random_order(rows, random);
      for (std::size_t r = 0; r < rows; ++r)
        for (const std::size_t c : groups[g])
          shuffled[r * columns + c] = inputs[order[r] * columns + c];
      use(g, std::span<const double>(shuffled));
    }
    for (std::size_t r = 0; r < rows; ++r)
      for (const std::size_t c : groups[g]) shuffled[r * columns + c] = inputs[r * columns + c];
  }
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
  expect_sense(inputs.size(), columns, groups, static_cast<bool>(score), "score");
  const double before = score(inputs);
  std::vector<std::vector<double>> losses(groups.size());
  for_each_shuffle(inputs, columns, groups, options,
                   [&](std::size_t group, std::span<const double> shuffled) {
                     losses[group].push_back(before - score(shuffled));
                   });
  std::vector<PermutationLoss> out;
  for (const std::vector<double>& each : losses) out.push_back(summary(each));
  return out;
}

std::vector<std::vector<PermutationLoss>> permutation_losses(
    std::span<const double> inputs, std::size_t columns,
    const std::vector<std::vector<std::size_t>>& groups, const ScoresOfEachRow& scores,
    const PermutationLoss::Options& options) {
  options.validate();
  expect_sense(inputs.size(), columns, groups, static_cast<bool>(scores), "scores");
  const std::size_t rows = inputs.size() / columns;
  const std::vector<double> before = scores(inputs);
  if (before.empty() || before.size() % rows != 0)
    reject("scores", before.size(),
           "must be as many for each of the " + std::to_string(rows) + " rows");
  const std::size_t kinds = before.size() / rows;
  std::vector<std::vector<double>> losses(groups.size(), std::vector<double>(before.size()));
  for_each_shuffle(
      inputs, columns, groups, options, [&](std::size_t group, std::span<const double> shuffled) {
        const std::vector<double> after = scores(shuffled);
        for (std::size_t i = 0; i < before.size(); ++i)
          losses[group][i] += (before[i] - after[i]) / static_cast<double>(options.repeats);
      });
  std::vector<std::vector<PermutationLoss>> out(groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      std::vector<double> of_rows;
      for (std::size_t row = 0; row < rows; ++row) of_rows.push_back(losses[g][row * kinds + kind]);
      out[g].push_back(summary(of_rows));
    }
  return out;
}

}  // namespace postrider::network
