// How neighbours of residuals are learned: a measure of distances, and a kernel.
//
// Each row's normal score is predicted from other rows that are no member of its group (residual_neighbours.h). What predicts them best
// is chosen by half of the rows, column by column: a column in which rows must lie nearer to count as neighbours is stretched. The other
// half judges it, and the other way round: neighbours are kept if they clearly help. Networks that left out a neighbour have learned
// the row itself, which draws their predictions towards it and the neighbour's residual away: this judges on the careful side.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/workers.h"
#include "estimator/residual_neighbours.h"
#include "estimator/target_score.h"
#include "postrider/inputs.h"

namespace postrider::internal {

// Rows, and the probability below the target of each, and of its cell, by networks that have not learned it.
struct JudgedResiduals {
  const Inputs& inputs;
  std::span<const double> below;
  std::span<const UnitCell> cells;
  std::span<const double> weights;
  std::span<const std::uint32_t> groups;  // or none

  double ratio(const LocalNormal& told, std::size_t row) const {
    return density_ratio(told, cells[row], below[row]);
  }
};

struct LearnedNeighbours {
  ResidualNeighbours neighbours;
  std::vector<LocalNormal> of_rows;  // of each row, from others
};
// Nothing where neighbours do not clearly help, there are too few rows or too many columns, or somebody interrupts, who is asked by this
// thread.
std::optional<LearnedNeighbours> learn_neighbours(const JudgedResiduals& rows, Workers& workers,
                                                  const std::function<bool()>& interrupted);

}  // namespace postrider::internal
