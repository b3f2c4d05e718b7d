#include "math/quadrature.h"

#include <algorithm>
#include <array>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <limits>
#include <span>

#include "base/check.h"

namespace postrider::internal {
namespace {

constexpr double kForgotten = 45;  // a peak lower than the best by this much (in log) has no mass
// In shares of the mass of the whole, for the difference d between a panel's 15-point Gauss and its 31-point
// Kronrod sum. The error of the latter is about (200 d)^1.5 (QUADPACK's estimate): below 1e-13.
constexpr double kPanelTolerance = 1e-11;
constexpr int kPeakBits = 24;
// A jump that no kink announced is halved this often; noise is given up on after so many panels.
constexpr int kMaxDepth = 48;
constexpr std::size_t kMaxPanels = 500;
// Deviations at which the search for peaks is cut into ranges: what a Gaussian is multiplied with
// may move its mass far out, but then the way there is smooth and a coarse search finds it.
constexpr std::array<double, 4> kFarReach{8, 38, 1000, 1e5};
constexpr std::array<double, 2> kNearReach{8, 38};

struct Peak {
  double x, log_density, width;
};

double finite_log(const LogDensity& log_density, double x) {
  const double value = log_density(x);
  return std::isnan(value) ? -std::numeric_limits<double>::infinity() : value;
}

// How far from x the logarithm has fallen by about a half: one deviation of a Gaussian peak.
double half_width(const LogDensity& log_density, double x, double top, double low, double high) {
  const auto fallen = [&](double width) {
    const double left = finite_log(log_density, std::max(low, x - width));
    const double right = finite_log(log_density, std::min(high, x + width));
    return top - std::min(left, right) > 0.5;
  };
  const double range = high - low, least = 1e-15 * std::max(range, std::abs(x));
  double width = 1e-2 * range;
  if (!fallen(width)) {
    while (width < range && !fallen(width)) width *= 2;
    return width;
  }
  while (width > least && fallen(0.5 * width)) width *= 0.5;
  return width;
}

void find_peaks(const LogDensity& log_density, double low, double high, int points,
                std::vector<Peak>& peaks) {
  const std::size_t last = static_cast<std::size_t>(points);
  std::vector<double> x(last + 1), y(last + 1);
  for (std::size_t i = 0; i <= last; ++i) {
    // Ends are looked at from inside: a density may jump at a kink.
    const double share = static_cast<double>(i) / static_cast<double>(last);
    x[i] = low + (high - low) * std::clamp(share, 1e-13, 1 - 1e-13);
    y[i] = finite_log(log_density, x[i]);
  }
  for (std::size_t i = 0; i <= last; ++i) {
    const bool rises = i == 0 || y[i] >= y[i - 1];
    const bool falls = i == last || y[i] >= y[i + 1];
    if (!rises || !falls || !std::isfinite(y[i])) continue;
    const double from = x[i == 0 ? 0 : i - 1], to = x[std::min(last, i + 1)];
    const auto [at, minus_top] = boost::math::tools::brent_find_minima(
        [&](double t) { return -finite_log(log_density, t); }, from, to, kPeakBits);
    const bool better = -minus_top > y[i];
    const double top = better ? -minus_top : y[i], where = better ? at : x[i];
    peaks.push_back({where, top, half_width(log_density, where, top, low, high)});
  }
}

// Panel ends that follow each peak outwards in doubling steps.
std::vector<double> panel_ends(const std::vector<Peak>& peaks, double low, double high) {
  std::vector<double> ends{low, high};
  const auto add = [&](double x) {
    if (x > low && x < high) ends.push_back(x);
  };
  for (const Peak& peak : peaks) {
    add(peak.x);
    for (double step = peak.width; step < high - low; step *= 2) {
      add(peak.x - step);
      add(peak.x + step);
    }
  }
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  return ends;
}

using Rule = boost::math::quadrature::gauss_kronrod<double, 31>;

}  // namespace

Tabulated::Tabulated(const LogDensity& log_density, const std::vector<double>& ends_and_kinks,
                     int scan_points) {
  check(ends_and_kinks.size() >= 2 && std::is_sorted(ends_and_kinks.begin(), ends_and_kinks.end()),
        "a range in ascending order");
  std::vector<std::vector<Peak>> peaks(ends_and_kinks.size() - 1);
  double top = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < peaks.size(); ++i) {
    find_peaks(log_density, ends_and_kinks[i], ends_and_kinks[i + 1], scan_points, peaks[i]);
    for (const Peak& peak : peaks[i])
      if (peak.log_density > top) {
        top = peak.log_density;
        peak_ = peak.x;
      }
  }
  if (!std::isfinite(top)) {
    log_mass_ = top;
    return;
  }

  // Boost's 31-point Kronrod rule; a panel is halved until its 15-point Gauss rule agrees.
  const auto& abscissas = Rule::abscissa();
  const auto& weights = Rule::weights();
  const auto& gauss_weights = boost::math::quadrature::gauss<double, 15>::weights();
  // The logarithm of the density carries a rounding of its own, in proportion to its size.
  const double relative =
      kPanelTolerance + 4 * std::numeric_limits<double>::epsilon() * std::abs(top);
  // A lower bound of the mass, so that the tails, which come first, are not refined for themselves.
  double expected = 0, total = 0;
  for (const std::vector<Peak>& range : peaks)
    for (const Peak& peak : range)
      expected = std::max(expected, peak.width * std::exp(peak.log_density - top));
  std::size_t panels = 0;
  const std::function<void(double, double, int)> panel = [&](double low, double high, int depth) {
    const double centre = 0.5 * (low + high), half = 0.5 * (high - low);
    double kronrod = 0, gauss = 0;
    std::vector<Node> found;
    for (std::size_t k = 0; k < abscissas.size(); ++k)
      for (const double sign : {1.0, -1.0}) {
        if (k == 0 && sign < 0) continue;
        const double x = centre + sign * half * abscissas[k];
        const double log_value = finite_log(log_density, x);
        const double value = std::exp(log_value - top);
        kronrod += half * weights[k] * value;
        if (k % 2 == 0) gauss += half * gauss_weights[k / 2] * value;
        if (value > 0) found.push_back({x, half * weights[k], log_value});
      }
    const double error = std::abs(kronrod - gauss);
    const double tolerance = relative * std::max({expected, total, std::abs(kronrod)});
    if (error > tolerance && depth < kMaxDepth && ++panels < kMaxPanels) {
      panel(low, centre, depth + 1);
      panel(centre, high, depth + 1);
      return;
    }
    total += kronrod;
    nodes_.insert(nodes_.end(), found.begin(), found.end());
  };
  for (std::size_t i = 0; i < peaks.size(); ++i) {
    std::erase_if(peaks[i], [&](const Peak& p) { return p.log_density < top - kForgotten; });
    if (peaks[i].empty()) continue;
    const std::vector<double> ends = panel_ends(peaks[i], ends_and_kinks[i], ends_and_kinks[i + 1]);
    for (std::size_t k = 0; k + 1 < ends.size(); ++k) panel(ends[k], ends[k + 1], 0);
  }
  log_mass_ = top + std::log(total);

  // Moments about the peak, then about the mean: nothing large is subtracted.
  const double offset = expect([&](double x) { return x - peak_; });
  mean_ = peak_ + offset;
  variance_ = expect([&](double x) { return (x - peak_ - offset) * (x - peak_ - offset); });
}

double Tabulated::expect(const std::function<double(double, double)>& f) const {
  double sum = 0;
  for (const Node& node : nodes_) {
    const double log_p = node.log_density - log_mass_;
    sum += node.weight * std::exp(log_p) * f(node.x, log_p);
  }
  return sum;
}

double Tabulated::expect(const std::function<double(double)>& f) const {
  return expect([&](double x, double /*log_p*/) { return f(x); });
}

std::vector<double> gaussian_range(double mean, double variance, const std::vector<double>& kinks,
                                   Reach reach) {
  const std::span<const double> steps = reach == Reach::far ? std::span<const double>(kFarReach)
                                                            : std::span<const double>(kNearReach);
  const double s = std::sqrt(variance);
  std::vector<double> out{mean};
  for (const double deviations : steps) {
    out.push_back(mean - deviations * s);
    out.push_back(mean + deviations * s);
  }
  for (const double kink : kinks)
    if (std::abs(kink - mean) < steps.back() * s) out.push_back(kink);
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace postrider::internal
