// Rows that a classifier holds out to set the temperature of its probabilities.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "estimator/state.h"

namespace postrider {

// By number, in their order. Which rows are held out is drawn; none if they were too few to tell a
// temperature, and then `learned` is empty as well: all are.
struct CalibrationSplit {
  CalibrationSplit() = default;
  CalibrationSplit(std::size_t rows, double share, std::uint64_t seed);

  std::vector<std::uint32_t> learned, held_out;
};

// 1 if no row was held out.
double temperature_of(const FittedModel& model, const EstimatorRows& rows,
                      std::span<const std::uint32_t> held_out, unsigned threads);

}  // namespace postrider
