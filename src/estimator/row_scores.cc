#include "estimator/row_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace postrider::internal {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Numbers that are set by the rows that judge: noise, scales, when training ends, which encoding. Each makes the mean
// log-likelihood of these rows larger, and that of others smaller, by half of one over their number (Akaike). As many as
// make up for the difference on made tables of 200 and 500 rows, which are not those of experiments/calibration.
constexpr double kNumbersSet = 8;

double mean_of(const std::vector<double>& values) {
  if (values.empty()) return -kInfinity;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

double RowScores::mean() const { return mean_of(scores); }

bool ScoreDifference::is_clear(double standard_errors) const {
  return mean > standard_errors * standard_error;
}

ScoreDifference difference(const RowScores& a, const RowScores& b) {
  if (!std::isfinite(a.mean()) || !std::isfinite(b.mean())) {
    if (a.mean() == b.mean()) return {};
    return {a.mean() > b.mean() ? kInfinity : -kInfinity, 0};
  }
  std::vector<double> found;
  for (std::size_t i = 0, j = 0; i < a.rows.size() && j < b.rows.size();) {
    if (a.rows[i] == b.rows[j])
      found.push_back(a.scores[i++] - b.scores[j++]);
    else if (a.rows[i] < b.rows[j])
      ++i;
    else
      ++j;
  }
  if (found.empty()) return {};
  const double mean = mean_of(found);
  double squares = 0;
  for (const double each : found) squares += (each - mean) * (each - mean);
  return {mean, std::sqrt(squares) / static_cast<double>(found.size())};
}

std::size_t first_not_behind(const std::vector<RowScores>& all, double standard_errors) {
  const auto best = std::ranges::max_element(all, {}, &RowScores::mean);
  const auto first = std::ranges::find_if_not(all, [&](const RowScores& each) {
    return difference(*best, each).is_clear(standard_errors);
  });
  return static_cast<std::size_t>(first - all.begin());
}

void WeightedMean::add(double value, double weight) {
  values_.push_back(value);
  weights_.push_back(weight);
  sum_ += weight * value;
  all_ += weight;
}

double WeightedMean::standard_error() const {
  const double centre = mean();
  double squares = 0;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const double away = weights_[i] * (values_[i] - centre);
    squares += away * away;
  }
  return std::sqrt(squares) / all_;
}

bool WeightedMean::may_be(double least) const {
  constexpr double kStandardErrors = 2;
  return mean() + kStandardErrors * standard_error() > least;
}

bool WeightedMean::is_clear() const {
  constexpr double kLeast = 0.005, kStandardErrors = 3;  // nats
  return mean() >= kLeast && mean() >= kStandardErrors * standard_error();
}

Estimator::OutOfFoldScore WeightedMean::score() const {
  if (!(all_ > 0)) return {};
  return {mean() - kNumbersSet / static_cast<double>(values_.size()), standard_error(),
          values_.size()};
}

}  // namespace postrider::internal
