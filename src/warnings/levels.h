// How well rows of the same value tell each other's target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "warnings/checks.h"

namespace postrider::internal {

// Rows by the value of one column: categories, or equal numbers. Missing cells are a value, too.
struct Levels {
  std::vector<std::uint32_t> of_rows;
  std::size_t count = 0;  // that some row has
};
Levels levels_of_codes(const std::vector<std::uint32_t>& codes);
Levels levels_of_numbers(const Ranks& ranks);
Levels levels_of_missing(const Ranks& ranks);  // known or not

// The share of the variance of a numeric target's ranks that the mean of the other rows of a level tells.
double told_share(const Levels& levels, const SampledRows& rows);
// How much more often two rows of a level have one class than any two rows do: 1 if always, 0 if no more often.
struct Agreement {
  double share = 0, standard_error = 1;
};
Agreement agreement_within(const Levels& levels, const SampledRows& rows);
// The same of rows of one level and the next.
Agreement agreement_beside(const Levels& levels, const SampledRows& rows);
// The share of rows whose class the most common one of the other rows of their level is not.
double missed_share(const Levels& levels, const SampledRows& rows);
// The same where the level is that of all rows.
double missed_without(const SampledRows& rows);

}  // namespace postrider::internal
