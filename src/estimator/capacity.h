// How wide a network the examples can fill.
#pragma once

#include <cstddef>
#include <vector>

namespace postrider {

// The widths of the hidden layers, none wider than asked for, narrowed to one common limit where the
// network would otherwise have more than `weights_per_example` weights for each row; 0 narrows nothing.
//
// Why: beliefs are factorised. Each of the n weights of a sum keeps about 1/n of its variance, and
// with more weights than examples no number of passes brings that variance down: P equal weights and N
// examples give the sum a variance v = (v + noise) P/N, which has a solution below P = N only. Above,
// the belief stays near the prior and the network hardly learns (docs/design/trials.md).
std::vector<std::size_t> widths_for(const std::vector<std::size_t>& hidden, std::size_t inputs,
                                    std::size_t outputs, std::size_t rows,
                                    double weights_per_example);

}  // namespace postrider
