// How wide a network the examples can fill.
#pragma once

#include <cstddef>
#include <vector>

namespace postrider::internal {

// Whether the widths of the hidden layers are left to the number of rows: {0}.
bool is_chosen(const std::vector<std::size_t>& hidden);

// Whether these are the hidden layers of networks for many rows.
bool are_for_many_rows(const std::vector<std::size_t>& hidden);

// The hidden layers where none are asked for: three of 100 units where there are 1.5 rows for each of their weights, else two of
// 50. What was measured is in docs/design/trials.md.
std::vector<std::size_t> chosen_widths(std::size_t inputs, std::size_t outputs, std::size_t rows);

// The widths of the hidden layers, those asked for or chosen, none wider, narrowed to one common limit where the
// network would otherwise have more than `weights_per_example` weights for each row; 0 narrows nothing.
//
// Why: beliefs are factorised. Each of the n weights of a sum keeps about 1/n of its variance, and
// with more weights than examples no number of passes brings that variance down: P equal weights and N
// examples give the sum a variance v = (v + noise) P/N, which has a solution below P = N only. Above,
// the belief stays near the prior and the network hardly learns (docs/design/trials.md).
std::vector<std::size_t> widths_for(const std::vector<std::size_t>& asked, std::size_t inputs,
                                    std::size_t outputs, std::size_t rows,
                                    double weights_per_example);

}  // namespace postrider::internal
