#include <algorithm>

#include "base/random.h"
#include "postrider/error.h"
#include "postrider/table_model.h"

namespace postrider {
using namespace internal;
namespace {

void expect_numeric(const TableModel::Prediction& prediction) {
  if (!prediction.probabilities.empty())
    reject("quantiles", prediction.rows, "are of numeric targets only; classes have probabilities");
}

std::size_t drawn_class(std::span<const double> probabilities, double uniform) {
  double sum = 0;
  for (std::size_t k = 0; k + 1 < probabilities.size(); ++k) {
    sum += probabilities[k];
    if (uniform < sum) return k;
  }
  return probabilities.size() - 1;
}

}  // namespace

std::vector<double> TableModel::Prediction::quantiles(
    std::span<const double> probabilities_below) const {
  expect_numeric(*this);
  return distributions.quantiles(probabilities_below);
}

std::vector<double> TableModel::Prediction::intervals(double level) const {
  expect_numeric(*this);
  return distributions.intervals(level);
}

std::vector<double> TableModel::Prediction::samples(std::size_t count, std::uint64_t seed,
                                                    std::size_t first_row) const {
  if (probabilities.empty()) return distributions.samples(count, seed, first_row);
  std::vector<double> out;
  out.reserve(rows * count);
  for (std::size_t row = 0; row < rows; ++row) {
    RandomStream random(seed, first_row + row);
    const auto of_row = std::span(probabilities).subspan(row * classes(), classes());
    for (std::size_t k = 0; k < count; ++k)
      out.push_back(static_cast<double>(drawn_class(of_row, random.uniform())));
  }
  return out;
}

std::vector<std::size_t> TableModel::Prediction::most_probable() const {
  std::vector<std::size_t> out;
  for (std::size_t row = 0; !probabilities.empty() && row < rows; ++row) {
    const auto of_row = std::span(probabilities).subspan(row * classes(), classes());
    out.push_back(static_cast<std::size_t>(std::ranges::max_element(of_row) - of_row.begin()));
  }
  return out;
}

}  // namespace postrider
