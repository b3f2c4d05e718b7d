// Which rows to learn and which to leave out, as the rows will be used: at random, by time, by group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "postrider/export.h"

namespace postrider {

// Rows by number, in ascending order.
struct Fold {
  std::vector<std::size_t> learned, left_out;
  // A number for each row that is learned, the same for rows that belong together: see Regressor::fit(). None where rows
  // were not told apart by time or by group.
  std::vector<std::uint32_t> groups = {};
};

// A share of the rows is left out, one part of them at random. All throw InvalidArgument if a part would be empty.
POSTRIDER_EXPORT Fold split_at_random(std::size_t rows, double share, std::uint64_t seed);
// The latest rows are left out; rows of one time are on one side, so that the share may be missed by some.
POSTRIDER_EXPORT Fold split_by_time(std::span<const double> times, double share);
// Whole groups are left out, drawn at random until the share is reached as nearly as they allow.
POSTRIDER_EXPORT Fold split_by_group(std::span<const std::string> groups, double share,
                                     std::uint64_t seed);

// Rows in order of their times are cut into one part more than there are folds, as even as equal times allow. Each
// fold learns all parts before one, and leaves that one out: the first part is never left out.
POSTRIDER_EXPORT std::vector<Fold> folds_by_time(std::span<const double> times, std::size_t folds);
// Groups are dealt to folds, the largest first and each to the fold with the fewest rows; the seed decides among equals.
POSTRIDER_EXPORT std::vector<Fold> folds_by_group(std::span<const std::string> groups,
                                                  std::size_t folds, std::uint64_t seed);

// Groups as Regressor::fit() takes them, a number for each row: one for each name,
POSTRIDER_EXPORT std::vector<std::uint32_t> groups_of_names(std::span<const std::string> names);
// or one for each of 32 stretches into which rows are cut in order of their times.
POSTRIDER_EXPORT std::vector<std::uint32_t> groups_of_times(std::span<const double> times);

}  // namespace postrider
