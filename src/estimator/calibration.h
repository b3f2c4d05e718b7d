// Held-out rows that set the temperature of a classifier's probabilities.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "estimator/ensemble.h"

namespace postrider {

struct LabelledRows {
  std::vector<double> inputs;
  std::vector<std::size_t> labels;
  std::vector<double> weights = {};  // empty: all 1

  std::vector<double> targets() const { return {labels.begin(), labels.end()}; }
};

// Which rows are held out is drawn; none if they were too few to tell a temperature.
struct CalibrationSplit {
  CalibrationSplit(const std::vector<double>& inputs, std::span<const std::size_t> labels,
                   std::span<const double> weights, double share, std::uint64_t seed);

  LabelledRows learned, kept_back;
};

// 1 if there are none.
double temperature_of(const std::vector<Member>& members, std::size_t outputs,
                      const LabelledRows& rows, unsigned threads);

}  // namespace postrider
