#include "estimator/residual_neighbours.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "data/kept_inputs.h"
#include "estimator/standard_normal.h"
#include "math/cholesky.h"
#include "postrider/error.h"

namespace postrider::internal {
namespace {

// No score lies farther out: one row that is beyond all measure tells its neighbours no more.
constexpr double kFarScore = 4;
constexpr double kFarPoint = 1e6;  // likewise in a column
constexpr double kJitter = 1e-9;   // keeps the covariance of rows that are alike positive definite

struct ScoreMoments {
  double mean, variance;
};

ScoreMoments moments_at(const Neighbourhood& here, std::span<const double> scores, double length,
                        double correlation) {
  const std::size_t count = here.rows.size();
  std::vector<double> covariance(count * count), across;
  for (std::size_t i = 0, k = 0; i < count; ++i) {
    for (std::size_t j = 0; j < i; ++j)
      covariance[i * count + j] = correlation * std::exp(-here.between[k++] / length);
    covariance[i * count + i] = 1 + kJitter;
    across.push_back(correlation * std::exp(-here.to_row[i] / length));
  }
  const Cholesky factor(std::move(covariance), count);
  if (!factor.is_positive_definite()) return {0, 1};
  std::vector<double> weights = across;
  factor.solve(weights);
  ScoreMoments out{0, 1};
  for (std::size_t i = 0; i < count; ++i) {
    out.mean += weights[i] * scores[here.rows[i]];
    out.variance -= weights[i] * across[i];
  }
  out.variance = std::clamp(out.variance, 1 - correlation, 1.0);
  return out;
}

}  // namespace

double kept_score(double below) {
  return std::clamp(standard_quantile(below), -kFarScore, kFarScore);
}

std::vector<float> point_of(std::span<const DistanceScale> scales, std::span<const double> row) {
  std::vector<float> out;
  for (std::size_t column = 0; column < row.size(); ++column)
    out.push_back(
        static_cast<float>(std::clamp(scales[column](row[column]), -kFarPoint, kFarPoint)));
  return out;
}

LocalNormal told_by(const Neighbourhood& here, std::span<const double> scores,
                    const ResidualNeighbours::Kernel& kernel) {
  const ScoreMoments found = moments_at(here, scores, kernel.length, kernel.correlation);
  return {found.mean, std::sqrt(found.variance), kernel.share};
}

ResidualNeighbours::ResidualNeighbours(std::vector<DistanceScale> scales, NearestRows rows,
                                       std::vector<double> scores, Kernel kernel)
    : scales_(std::move(scales)),
      rows_(std::move(rows)),
      scores_(std::move(scores)),
      kernel_(kernel) {
  if (scales_.size() != rows_.columns() || scores_.size() != rows_.rows())
    reject("neighbours", scores_.size(),
           "must have a scale for each column and a score for each row");
  if (!std::ranges::all_of(scores_, [](double z) { return std::abs(z) <= kFarScore; }))
    reject("neighbours", scores_.size(), "must have scores between -4 and 4");
  const auto is_share = [](double x) { return x > 0 && x < 1; };
  if (!(kernel.length > 0 && std::isfinite(kernel.length)) || !is_share(kernel.correlation) ||
      !is_share(kernel.share))
    reject("neighbours", kernel.length, "must have a length above 0, and shares between 0 and 1");
}

std::vector<LocalNormal> ResidualNeighbours::at(const Inputs& rows, Workers& workers) const {
  const std::vector<double> numbers = all_numbers(rows);
  const std::size_t columns = scales_.size();
  std::vector<LocalNormal> out(rows.rows(), LocalNormal(0, 1, kernel_.share));
  workers.run(rows.rows(), [&](std::size_t row) {
    const auto own = std::span(numbers).subspan(row * columns, columns);
    const Neighbourhood here(rows_, point_of(scales_, own), [](std::uint32_t) { return false; });
    out[row] = told_by(here, scores_, kernel_);
  });
  return out;
}

}  // namespace postrider::internal
