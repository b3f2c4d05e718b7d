// postrider predict: a distribution for each row of a table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/data.h"
#include "cli/exit_code.h"

namespace postrider::cli {

struct PredictRequest {
  std::string model;
  DataRequest data;
  std::string output;
  bool force = false;  // replaces a file of another kind
  double level = 0.9;
  std::vector<double> quantiles;
  bool parts = false;  // of the standard deviation
  std::size_t samples = 0;
  std::uint64_t seed = 1;
  bool far = false;                 // tells which rows are far from all that were learned
  std::optional<double> threshold;  // of two classes, the second one's probability
  bool json = false, quiet = false;
};

ExitCode predict(const PredictRequest& request);

}  // namespace postrider::cli
