// A few of the rows that fit() has learned, with what networks predicted of them before they had: by them it is told which columns matter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "estimator/out_of_fold.h"
#include "postrider/inputs.h"

namespace postrider::internal {

// Files do not keep it, nor do copies in memory that are made of a file's bytes.
struct LeftOutSample {
  // Rows of the sample that one member left out, and its outputs there before it learned all rows in the end.
  struct OfMember {
    std::vector<std::uint32_t> rows;
    network::Network::OutputMoments outputs;
  };

  std::size_t columns = 0, targets_of_row = 0;
  std::vector<double> inputs, targets;  // row by row, as they were given
  std::vector<OfMember> of_members;

  std::size_t rows() const { return columns == 0 ? 0 : inputs.size() / columns; }
};

// Evenly among the rows that some member leaves out; null where none does, or rows are too wide to keep enough of them. The predictions
// have so many outputs.
std::shared_ptr<const LeftOutSample> left_out_sample(const Examples& rows,
                                                     const LeftOutPredictions& left_out,
                                                     std::size_t outputs);

}  // namespace postrider::internal
