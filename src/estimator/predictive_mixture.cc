#include "estimator/predictive_mixture.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "estimator/standard_normal.h"
#include "postrider/error.h"

namespace postrider::internal {
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

// The log-densities of all members, one after another or all at once.
std::vector<double> log_densities(std::span<const Outlook> members, double target) {
  std::vector<double> out;
  if (!std::ranges::all_of(members, &Outlook::varies)) {
    for (const Outlook& each : members) out.push_back(each.log_density(target));
    return out;
  }
  const std::size_t count = members.size();
  out.resize(count);
  std::vector<double> numbers(5 * count);
  const auto array = [&](std::size_t k) { return std::span(numbers).subspan(k * count, count); };
  for (std::size_t m = 0; m < count; ++m) {
    array(0)[m] = target - members[m].mean;
    array(1)[m] = members[m].variance;
    array(2)[m] = members[m].log_mean;
    array(3)[m] = members[m].log_variance;
    array(4)[m] = members[m].scale;
  }
  varying_noise_log_densities({array(0), array(1), array(2), array(3), array(4)}, out,
                              SimdLevel::best());
  return out;
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
  const std::vector<double> found = log_densities(members, target);
  // Where a target is beyond all measure every density is 0, and so is their mean.
  double largest = -std::numeric_limits<double>::infinity(), sum = 0;
  for (std::size_t m = 0; m < members.size(); ++m)
    if (members[m].share > 0) largest = std::max(largest, found[m]);
  for (std::size_t m = 0; m < members.size(); ++m)
    if (members[m].share > 0 && std::isfinite(largest))
      sum += members[m].share * std::exp(found[m] - largest);
  return largest + std::log(sum / sum_of_shares(members));
}

void expect_probabilities(std::span<const double> probabilities) {
  for (const double probability : probabilities)
    if (!(probability > 0 && probability < 1))
      reject("quantiles", probability, "must be above 0 and below 1");
}

Mixture::Mixture(std::span<const Outlook> members, Noise noise) {
  const double all = sum_of_shares(members);
  parts_.reserve(members.size() * kNoiseShares);
  double square = 0;
  for (const Outlook& member : members) {
    const double share = member.share / all;
    const auto add = [&](double weight, double variance) {
      parts_.add(share * weight, member.mean, std::sqrt(member.variance + variance));
      mean_ += share * weight * member.mean;
      square += share * weight * (member.mean * member.mean + member.variance + variance);
    };
    if (!member.varies)
      add(1, member.scale);
    else if (noise == Noise::coarse)
      for (const NoiseShare& each :
           few_noise_shares(member.log_mean, member.log_variance, member.scale))
        add(each.weight, each.noise);
    else
      for (const NoiseShare& each :
           noise_shares(member.log_mean, member.log_variance, member.scale))
        add(each.weight, each.noise);
  }
  deviation_ = std::sqrt(std::max(0.0, square - mean_ * mean_));
}

double Mixture::lowest(double deviations) const { return -farthest(-1, deviations); }
double Mixture::highest(double deviations) const { return farthest(1, deviations); }

double Mixture::farthest(double side, double deviations) const {
  double out = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < parts_.size(); ++k)
    out = std::max(out, side * parts_.mean(k) + deviations * parts_.deviation(k));
  return out;
}

BelowAndDensity Mixture::at(double value) const {
  BelowAndDensity out = parts_.at(value, SimdLevel::best());
  out.below = std::min(out.below, 1.0);  // weights add up to one but for rounding
  return out;
}

double Mixture::below(double value) const { return at(value).below; }
double Mixture::density(double value) const { return at(value).density; }

// It lies between the smallest and the largest of the parts' own. Newton's steps, halving where they
// would leave the range.
double Mixture::quantile(double probability) const {
  const double z = standard_quantile(probability);
  double low = lowest(-z), high = highest(z);
  const double close =
      std::max(kClose * std::min(probability, 1 - probability), kBisectionRounding);
  // That of a Gaussian with the same moments is near.
  double x = std::clamp(mean_ + z * deviation_, low, high);
  for (int step = 0; step < kMostSteps && low < high; ++step) {
    const BelowAndDensity here = at(x);
    const double excess = here.below - probability;
    if (std::abs(excess) <= close) break;
    (excess < 0 ? low : high) = x;
    x -= excess / here.density;
    if (!(x > low && x < high)) x = 0.5 * (low + high);
  }
  return x;
}

}  // namespace postrider::internal
