#include "histogram.h"

#include <algorithm>
#include <cmath>

namespace postrider::experiments {
namespace {

constexpr double kTail = 0.001;  // left out on either side

double probability_below(const Gaussian& q, double x) {
  return 0.5 * std::erfc(-(x - q.mean()) / (q.std() * std::sqrt(2.0)));
}

}  // namespace

double mass_between(const Gaussian& q, double low, double high) {
  return probability_below(q, high) - probability_below(q, low);
}

Histogram weighted_histogram(std::vector<WeightedSample> samples, std::size_t bins) {
  std::sort(samples.begin(), samples.end(),
            [](const WeightedSample& a, const WeightedSample& b) { return a.value < b.value; });
  double total = 0, squares = 0;
  for (const WeightedSample& s : samples) total += s.weight, squares += s.weight * s.weight;
  const auto quantile = [&](double share) {
    double sum = 0;
    for (const WeightedSample& s : samples)
      if ((sum += s.weight) >= share * total) return s.value;
    return samples.back().value;
  };
  const double low = quantile(kTail), high = quantile(1 - kTail);
  const double width = (high - low) / static_cast<double>(bins);

  Histogram out{{}, std::vector<double>(bins, 0.0), total * total / squares};
  for (std::size_t i = 0; i <= bins; ++i) out.edges.push_back(low + width * static_cast<double>(i));
  double inside = 0;
  for (const WeightedSample& s : samples) {
    if (s.value < low || s.value >= high) continue;
    const auto bin = std::min(bins - 1, static_cast<std::size_t>((s.value - low) / width));
    out.density[bin] += s.weight;
    inside += s.weight;
  }
  for (double& d : out.density) d /= inside * width;
  return out;
}

double Histogram::kl_to(const Gaussian& q) const {
  const double inside = mass_between(q, edges.front(), edges.back());
  double kl = 0;
  for (std::size_t i = 0; i < density.size(); ++i) {
    const double p = density[i] * (edges[i + 1] - edges[i]);
    const double in_bin = mass_between(q, edges[i], edges[i + 1]) / inside;
    if (p > 0) kl += p * std::log(p / in_bin);
  }
  return kl;
}

}  // namespace postrider::experiments
