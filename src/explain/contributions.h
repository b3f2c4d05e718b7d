// How far each column moves what is predicted, from the rows of a baseline to a row: see postrider/explain.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "explain/outcomes.h"

namespace postrider::internal {

// Rows of all their inputs, one after the other.
struct PlainRows {
  std::vector<double> values;
  std::size_t columns = 1;

  std::size_t count() const { return values.size() / columns; }
  std::span<const double> row(std::size_t row) const {
    return std::span(values).subspan(row * columns, columns);
  }
};

// What is explained, and by what: groups of inputs are the columns of the user.
struct Question {
  PlainRows rows, baseline;
  std::vector<std::vector<std::size_t>> groups;
  std::vector<double> shares;  // of the members; they add up to 1
  std::size_t orders = 1;      // pairs of opposite orders for each row of the baseline
  std::uint64_t seed = 1;
};

struct Contributions {
  std::vector<double> baseline, predictions;  // as of Explanation
  std::vector<double> values, spread;
};

// Rows are predicted in the same order and added up in the same order, however many threads predict.
Contributions contributions_of(const Question& question, const PredictOutcomes& predict);

}  // namespace postrider::internal
