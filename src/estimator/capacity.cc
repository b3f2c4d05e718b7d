#include "estimator/capacity.h"

#include <algorithm>

#include "postrider/network.h"

namespace postrider {
namespace {

// Fewer units cannot bend a function enough to be of use, however few the rows.
constexpr std::size_t kFewestUnits = 4;

std::vector<std::size_t> limited(std::vector<std::size_t> hidden, std::size_t limit) {
  for (std::size_t& units : hidden) units = std::min(units, limit);
  return hidden;
}

}  // namespace

std::vector<std::size_t> widths_for(const std::vector<std::size_t>& hidden, std::size_t inputs,
                                    std::size_t outputs, std::size_t rows,
                                    double weights_per_example) {
  if (hidden.empty() || weights_per_example == 0) return hidden;
  const double most = weights_per_example * static_cast<double>(rows);
  const auto fits = [&](std::size_t limit) {
    const NetworkOptions narrowed = NetworkOptions::dense(inputs, limited(hidden, limit), outputs);
    return static_cast<double>(narrowed.weights()) <= most;
  };
  std::size_t low = kFewestUnits, high = std::max(low, *std::ranges::max_element(hidden));
  if (fits(high)) return hidden;
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return limited(hidden, low);
}

}  // namespace postrider
