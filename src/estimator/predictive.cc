#include "estimator/predictive.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "estimator/standard_normal.h"
#include "postrider/error.h"

namespace postrider {
namespace {

// How close the probability below a quantile comes: in shares of what is below it or above it, and at least for rounding.
constexpr double kClose = 1e-11, kBisectionRounding = 1e-15;
constexpr int kMostSteps = 100;
// Far from the data the logarithm of the noise could be anything, and its exponential beyond all measure.
// It is kept within what the data could have taught: a median noise of a fiftieth to fifty times the
// usual.
constexpr double kFarLogNoise = 8, kFarLogNoiseVariance = 1;

std::size_t drawn_member(std::span<const Outlook> members, RandomStream& random) {
  const bool are_equal = std::ranges::all_of(
      members, [&](const Outlook& each) { return each.share == members.front().share; });
  if (are_equal) return random.below(members.size());
  double left = random.uniform() * sum_of_shares(members);
  for (std::size_t m = 0; m + 1 < members.size(); ++m)
    if ((left -= members[m].share) < 0) return m;
  return members.size() - 1;
}

}  // namespace

Outlook outlook_of(double mean, double variance, double noise_variance) {
  return {mean, variance, 0, 0, noise_variance, false, 1};
}

Outlook outlook_of(double mean, double variance, double log_mean, double log_variance,
                   double noise_variance) {
  return {mean,
          variance,
          std::clamp(log_mean, -kFarLogNoise, kFarLogNoise),
          std::min(log_variance, kFarLogNoiseVariance),
          noise_variance,
          true,
          1};
}

double sum_of_shares(std::span<const Outlook> members) {
  double out = 0;
  for (const Outlook& member : members) out += member.share;
  return out;
}

double drawn(std::span<const Outlook> members, RandomStream& random) {
  const Outlook& member = members[drawn_member(members, random)];
  const double log_noise = member.log_mean + std::sqrt(member.log_variance) * random.normal();
  const double noise = member.varies ? noise_at(log_noise, member.scale) : member.scale;
  return member.mean + std::sqrt(member.variance + noise) * random.normal();
}

double mixed_log_density(std::span<const Outlook> members, double target) {
  // Where a target is beyond all measure every density is 0, and so is their mean.
  double largest = -std::numeric_limits<double>::infinity(), sum = 0;
  for (const Outlook& member : members) {
    if (!(member.share > 0)) continue;
    const double log_density = member.log_density(target);
    if (log_density > largest) {
      sum *= std::exp(largest - log_density);
      largest = log_density;
    }
    if (std::isfinite(largest)) sum += member.share * std::exp(log_density - largest);
  }
  return largest + std::log(sum / sum_of_shares(members));
}

void expect_probabilities(std::span<const double> probabilities) {
  for (const double probability : probabilities)
    if (!(probability > 0 && probability < 1))
      reject("quantiles", probability, "must be above 0 and below 1");
}

Mixture::Mixture(std::span<const Outlook> members) {
  const double all = sum_of_shares(members);
  for (const Outlook& member : members) {
    const double share = member.share / all;
    const auto add = [&](double weight, double noise) {
      parts_.push_back({share * weight, member.mean, std::sqrt(member.variance + noise)});
    };
    if (!member.varies) {
      add(1, member.scale);
      continue;
    }
    for (const NoiseShare& each : noise_shares(member.log_mean, member.log_variance, member.scale))
      add(each.weight, each.noise);
  }
}

double Mixture::below(double value) const {
  double out = 0;
  for (const Part& part : parts_)
    out += part.weight * standard_below((value - part.mean) / part.deviation);
  return std::min(out, 1.0);  // weights add up to one but for rounding
}

double Mixture::density(double value) const {
  double out = 0;
  for (const Part& part : parts_)
    out += part.weight / part.deviation * standard_density((value - part.mean) / part.deviation);
  return out;
}

// It lies between the smallest and the largest of the parts' own. Newton's steps, halving where they
// would leave the range.
double Mixture::quantile(double probability) const {
  const double z = standard_quantile(probability);
  double low = parts_.front().mean + z * parts_.front().deviation, high = low;
  double mean = 0, square = 0;
  for (const Part& part : parts_) {
    low = std::min(low, part.mean + z * part.deviation);
    high = std::max(high, part.mean + z * part.deviation);
    mean += part.weight * part.mean;
    square += part.weight * (part.mean * part.mean + part.deviation * part.deviation);
  }
  const double close =
      std::max(kClose * std::min(probability, 1 - probability), kBisectionRounding);
  // That of a Gaussian with the same moments is near.
  double at = std::clamp(mean + z * std::sqrt(std::max(0.0, square - mean * mean)), low, high);
  for (int step = 0; step < kMostSteps && low < high; ++step) {
    const double excess = below(at) - probability;
    if (std::abs(excess) <= close) break;
    (excess < 0 ? low : high) = at;
    at -= excess / density(at);
    if (!(at > low && at < high)) at = 0.5 * (low + high);
  }
  return at;
}

}  // namespace postrider
