#include "estimator/capacity.h"

#include <algorithm>

#include "postrider/network/network.h"

namespace postrider::internal {
namespace {

// Fewer units cannot bend a function enough to be of use, however few the rows.
constexpr std::size_t kFewestUnits = 4;

constexpr std::size_t kFewRowsUnits = 50, kFewRowsLayers = 2;
constexpr std::size_t kManyRowsUnits = 100, kManyRowsLayers = 3;
constexpr double kRowsPerWeight = 1.5;

std::vector<std::size_t> for_many_rows() {
  return std::vector<std::size_t>(kManyRowsLayers, kManyRowsUnits);
}

std::vector<std::size_t> limited(std::vector<std::size_t> hidden, std::size_t limit) {
  for (std::size_t& units : hidden) units = std::min(units, limit);
  return hidden;
}

}  // namespace

bool is_chosen(const std::vector<std::size_t>& hidden) {
  return hidden == std::vector<std::size_t>{0};
}

bool are_for_many_rows(const std::vector<std::size_t>& hidden) { return hidden == for_many_rows(); }

std::vector<std::size_t> chosen_widths(std::size_t inputs, std::size_t outputs, std::size_t rows) {
  const network::NetworkOptions large =
      network::NetworkOptions::dense(inputs, for_many_rows(), outputs);
  if (kRowsPerWeight * static_cast<double>(large.weights()) <= static_cast<double>(rows))
    return for_many_rows();
  return std::vector<std::size_t>(kFewRowsLayers, kFewRowsUnits);
}

std::vector<std::size_t> widths_for(const std::vector<std::size_t>& asked, std::size_t inputs,
                                    std::size_t outputs, std::size_t rows,
                                    double weights_per_example) {
  const std::vector<std::size_t> hidden =
      is_chosen(asked) ? chosen_widths(inputs, outputs, rows) : asked;
  if (hidden.empty() || weights_per_example == 0) return hidden;
  const double most = weights_per_example * static_cast<double>(rows);
  const auto fits = [&](std::size_t limit) {
    const network::NetworkOptions narrowed =
        network::NetworkOptions::dense(inputs, limited(hidden, limit), outputs);
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

}  // namespace postrider::internal
