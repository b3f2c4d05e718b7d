// Active learning: which rows of a pool to label next, in batches whose rows do not repeat each other.
//
// Functions drawn from the belief tell the covariance K of the pool's rows. A label of row i, with noise of variance r_i, lowers
// the variance of every row j:
//
//   K_jj - K_ji^2 / (K_ii + r_i)
//
// The next row is the one whose label removes most of the pool's variance, sum_j K_ji^2 / (K_ii + r_i); K is then what it would be
// given that label, which does not depend on the label's value, and the next row of the batch follows. A row that is uncertain
// and like no other removes little; one beside a row that was taken removes little as well.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "postrider/export.h"
#include "postrider/inputs.h"
#include "postrider/regressor.h"

namespace postrider {

struct SelectedRow {
  std::size_t row = 0;
  // Share of the pool's variance, as it was before the batch, that its label is expected to remove; the mean over targets.
  double removed = 0;
};

struct POSTRIDER_EXPORT SelectionOptions {
  std::size_t count = 10;       // rows to select
  std::size_t functions = 200;  // drawn
  // In larger pools, so many rows drawn at random stand for all.
  std::size_t candidates = 10'000;
  std::uint64_t seed = 1;

  // Throws InvalidArgument.
  void validate() const;
};

// By functions of this regressor; with the rows that it learned, see Regressor::sample_functions(), the functions know which
// errors cancel. Labels to come have noise of this standard deviation, where it is
// known, else the one that was learned.
POSTRIDER_EXPORT std::vector<SelectedRow> select_rows(const Regressor& regressor,
                                                      const Inputs& pool,
                                                      const SelectionOptions& options,
                                                      const Examples* labelled = nullptr,
                                                      std::optional<double> noise_std = {});

}  // namespace postrider
