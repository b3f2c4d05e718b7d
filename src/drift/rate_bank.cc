#include "drift/rate_bank.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "postrider/error.h"

namespace postrider::internal {
namespace {

// Weights of a file add up to one but for rounding.
constexpr double kRounding = 1e-6;
constexpr double kNone = -std::numeric_limits<double>::infinity();

void expect_share(double share) {
  if (!(share >= 0 && share <= 1)) reject("share", share, "must be at least 0 and at most 1");
}

}  // namespace

RateBank::RateBank(std::size_t rates, double share)
    : weights_(rates, 1 / static_cast<double>(rates)), share_(share) {
  check(rates > 0, "a bank has a rate");
  expect_share(share);
}

RateBank::RateBank(std::vector<double> weights, double share)
    : weights_(std::move(weights)), share_(share) {
  expect_share(share);
  for (const double weight : weights_)
    if (!(weight >= 0 && weight <= 1)) reject("weights", weight, "must be from 0 to 1");
  const double sum = std::accumulate(weights_.begin(), weights_.end(), 0.0);
  if (!(std::abs(sum - 1) <= kRounding)) reject("weights", sum, "must add up to 1");
}

double RateBank::observe(std::span<const double> log_densities, double power) {
  check(log_densities.size() == weights_.size(), "every rate predicts every row");
  double largest = kNone;
  for (const double each : log_densities)
    largest = std::max(largest, std::isnan(each) ? kNone : each);
  if (!std::isfinite(largest)) return largest;
  double mixed = 0, all = 0;
  std::vector<double> next(weights_.size());
  for (std::size_t k = 0; k < weights_.size(); ++k) {
    const double below = std::isnan(log_densities[k]) ? kNone : log_densities[k] - largest;
    mixed += weights_[k] * std::exp(below);
    next[k] = weights_[k] * std::exp(power * below);
    all += next[k];
  }
  // Only rates of weight 0 may have had a density, if nothing is shared.
  if (!(all > 0)) return kNone;
  const double anew = share_ / static_cast<double>(size());
  for (std::size_t k = 0; k < size(); ++k) weights_[k] = (1 - share_) * next[k] / all + anew;
  return largest + std::log(mixed);
}

}  // namespace postrider::internal
