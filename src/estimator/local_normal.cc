#include "estimator/local_normal.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "estimator/predictive_mixture.h"
#include "estimator/standard_normal.h"

namespace postrider::internal {
namespace {

constexpr double kLeastTail = 1e-15;

double score_at(double u) { return standard_quantile(std::clamp(u, kLeastTail, 1 - kLeastTail)); }

}  // namespace

LocalNormal::LocalNormal(double mean, double deviation, double share)
    : mean_(mean), deviation_(deviation), share_(share) {}

double LocalNormal::density(double u) const {
  const double z = score_at(u), away = (z - mean_) / deviation_;
  return 1 - share_ + share_ * std::exp(0.5 * (z * z - away * away)) / deviation_;
}

double LocalNormal::below(double u) const {
  const double away = (score_at(u) - mean_) / deviation_;
  return (1 - share_) * u + share_ * standard_below(away);
}

double LocalNormal::inverse(double below) const {
  Outlook before = outlook_of(0, 1, 0), here = outlook_of(mean_, deviation_ * deviation_, 0);
  before.share = 1 - share_;
  here.share = share_;
  const double inside = std::clamp(below, kLeastTail, 1 - kLeastTail);
  return standard_below(Mixture(std::array{before, here}).quantile(inside));
}

std::array<double, 6> LocalNormal::ends() const {
  std::array out{-4.5, -2.2, -0.9, 0.9, 2.2, 4.5};
  for (double& each : out) each = standard_below(mean_ + each * deviation_);
  return out;
}

}  // namespace postrider::internal
