// A regressor trained and tested on splits of one set.
#pragma once

#include <functional>
#include <vector>

#include "common/program.h"
#include "common/result.h"
#include "coverage.h"
#include "groups.h"
#include "postrider/regressor.h"
#include "sets.h"

namespace postrider::experiments {

struct Tested {
  double error = 0,
         likelihood = 0;  // root mean square error; mean log-likelihood, in the set's units
  double ranked = 0;      // continuous ranked probability score
  double calibration = 0;
  double members = 0;
  double best_epoch = 0, epochs = 0, weights = 0;  // of a member, in the mean
  double seconds = 0;                              // of processor time, all members
  HeldAtLevels held;                               // by intervals
  RowIntervals of_rows;
  bool has_failed = false;  // diverged, or a prediction that is no number
};

// Nothing chosen per set.
EstimatorOptions default_options(std::uint64_t seed);

// As given; but few in a smoke test, where 0 would allow all that are needed.
std::size_t epochs_of(const Settings& settings, std::size_t max_epochs);

Tested test_rows(const Rows& training, const Rows& testing, const EstimatorOptions& options);

// Splits side by side.
std::vector<Tested> test_splits(std::size_t splits, unsigned threads,
                                const std::function<Tested(std::size_t split)>& test);
// The first `splits` splits; the seed of a split is `seed` plus its number.
std::vector<Tested> test_splits(const UciSet& set, std::size_t splits,
                                const EstimatorOptions& options, const Settings& settings);

double mean_of(const std::vector<Tested>& tested, double Tested::*which);
// Deviation over the splits (of all, not corrected) over the root of their number, as the papers have
// it.
double standard_error_of(const std::vector<Tested>& tested, double Tested::*which);
std::size_t failures_of(const std::vector<Tested>& tested);

// For the result file.
Object describe(const std::vector<Tested>& tested);

}  // namespace postrider::experiments
