// How long training will take, before it begins.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "postrider/estimator_options.h"
#include "postrider/table.h"

namespace postrider::cli {

// Most trainings take between these.
struct ExpectedTime {
  double least = 0, most = 0;  // seconds of one thread

  std::string text() const;  // "3 to 20 s"
};
// Rows are those with a value of the target. Nothing where the number of epochs is asked for: there is no experience with these.
std::optional<ExpectedTime> expected_time(const EstimatorOptions& options, const Schema& schema,
                                          std::size_t rows);

}  // namespace postrider::cli
