#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "estimator/predictive.h"
#include "postrider/error.h"
#include "postrider/table_model.h"

namespace postrider {
namespace {

void expect_numeric(const TablePrediction& prediction) {
  if (prediction.mean.size() != prediction.rows)
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

std::vector<double> TablePrediction::quantiles(std::span<const double> probabilities_below) const {
  expect_numeric(*this);
  std::vector<double> at, out;
  for (const double probability : probabilities_below) at.push_back(standard_quantile(probability));
  out.reserve(rows * at.size());
  for (std::size_t row = 0; row < rows; ++row)
    for (const double z : at) out.push_back(mean[row] + z * deviation[row]);
  return out;
}

std::vector<double> TablePrediction::samples(std::size_t count, std::uint64_t seed,
                                             std::size_t first_row) const {
  std::vector<double> out;
  out.reserve(rows * count);
  const bool numeric = probabilities.empty();
  for (std::size_t row = 0; row < rows; ++row) {
    RandomStream random(seed, first_row + row);
    for (std::size_t k = 0; k < count; ++k) {
      if (numeric)
        out.push_back(mean[row] + deviation[row] * random.normal());
      else
        out.push_back(static_cast<double>(drawn_class(
            std::span(probabilities).subspan(row * classes(), classes()), random.uniform())));
    }
  }
  return out;
}

std::vector<std::size_t> TablePrediction::most_probable() const {
  std::vector<std::size_t> out;
  for (std::size_t row = 0; !probabilities.empty() && row < rows; ++row) {
    const auto of_row = std::span(probabilities).subspan(row * classes(), classes());
    out.push_back(static_cast<std::size_t>(std::ranges::max_element(of_row) - of_row.begin()));
  }
  return out;
}

}  // namespace postrider
