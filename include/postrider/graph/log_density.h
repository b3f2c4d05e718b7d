// Factors of a model that are given by their logarithm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace postrider::graph {

// log f of rows of a plate (Model::add_density) at `nodes` points each: z holds, row by row and node by node, one number for each edge.
// -infinity is allowed.
using LogDensityOfRows = std::function<void(std::span<const std::uint32_t> rows, std::size_t nodes,
                                            std::span<const double> z, std::span<double> out)>;

}  // namespace postrider::graph
