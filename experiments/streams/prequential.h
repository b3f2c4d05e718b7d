// Blocks of rows that are predicted, and then learned.
#pragma once

#include <cstddef>
#include <vector>

#include "common/result.h"
#include "postrider/estimator_options.h"
#include "streams.h"

namespace postrider::experiments {

// For every row, by a model that had not learned its block. Rows of the first block have zeros.
struct Prequential {
  std::vector<double> log_likelihoods, held;  // held: 1 in the 90 % interval, else 0
  std::vector<StreamReport::Change> changes;
  double seconds = 0;
};

// A regressor that learns block by block; if `refit_every` is above 0, it is fitted anew on all rows so far after
// so many blocks instead.
Prequential day_by_day(const Stream& stream, const EstimatorOptions& options,
                       std::size_t refit_every);

// Shares of the rows held, window by window after the first rows.
struct Windows {
  std::vector<double> coverage;
  double worst = 0, best = 0;  // the farthest from and the nearest to 90 %
};
Windows windows_of(const Prequential& found, std::size_t warm_up, std::size_t window);

double mean_after(const std::vector<double>& values, std::size_t first);

Object to_object(const Prequential& found, const Windows& windows, std::size_t warm_up);

}  // namespace postrider::experiments
