// How probable it is that chance alone makes two samples so different.
#pragma once

#include <cstddef>
#include <vector>

namespace postrider::internal {

// That so many of `rows` new values, or more, lie above all of `learned` old ones, if all are drawn alike: the largest
// k of rows + learned values are all new, C(rows, k) / C(rows + learned, k).
double chance_beyond(std::size_t beyond, std::size_t rows, std::size_t learned);

// That two shares of rows differ so much or more, on both sides: twice the tail of the hypergeometric distribution.
double chance_of_shares(std::size_t found, std::size_t rows, std::size_t learned_found,
                        std::size_t learned_rows);

// That two lists of counts differ so: the sum of squared differences of shares, each over its variance, is about chi-square
// (the cube root of which is about Gaussian, as Wilson and Hilferty found). Bins in which few rows are expected count less.
double chance_of_counts(const std::vector<std::size_t>& found,
                        const std::vector<std::size_t>& learned);

// The least share of rows that would have to change their bin: half the sum of differences of shares.
double moved_share(const std::vector<std::size_t>& found, const std::vector<std::size_t>& learned);

}  // namespace postrider::internal
