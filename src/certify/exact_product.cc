#include "certify/exact_product.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "certify/exact_message.h"

namespace postrider::internal {
namespace {

enum Edge : std::size_t { z_edge, x_edge, y_edge };

// Deviations that hold all of a Gaussian's mass that a double can tell.
constexpr double kReach = 9, kFarReach = 40;
// An input further from zero than this has no mass there: the integrand over it is a smooth bump, and
// the trapezoidal rule with this step in deviations is exact to rounding.
constexpr double kAwayFromZero = 9, kProductStep = 1.0 / 4;
// Else the integral runs over the logarithm of its size, on both sides. There the integrand falls off
// faster than exponentially at both ends, and the trapezoidal rule again converges exponentially, if
// the step follows the width of the peak: that is about 1 over the deviations from zero.
constexpr double kShareOfWidth = 0.25, kLongestStep = 1.0 / 8;
constexpr double kSmallestShare = 1e-15;  // of the largest size: what is below has no mass
constexpr int kScan = 24;                 // the densities have one peak on either side of zero

double distance_from_zero(const Gaussian& message) {
  return std::abs(message.mean()) / message.std();
}

// The logarithm of a sum of exponentials, term by term.
class LogSum {
 public:
  void add(double term) {
    if (term <= top_) {
      sum_ += std::exp(term - top_);
    } else if (std::isfinite(term)) {
      sum_ = 1 + (sum_ > 0 ? sum_ * std::exp(top_ - term) : 0);
      top_ = term;
    }
  }
  double value() const { return top_ + std::log(sum_); }

 private:
  double top_ = -std::numeric_limits<double>::infinity(), sum_ = 0;
};

}  // namespace

ExactProduct::ExactProduct(const Factor& product, std::span<const Gaussian> incoming)
    : product_(product) {
  check(product.info().name == "product" && incoming.size() == incoming_.size(),
        "a product of two variables");
  check(incoming[x_edge].is_proper() && incoming[y_edge].is_proper(), "two proper inputs");
  std::copy(incoming.begin(), incoming.end(), incoming_.begin());
  const bool x_is_further =
      distance_from_zero(incoming[x_edge]) > distance_from_zero(incoming[y_edge]);
  certain_ = x_is_further ? x_edge : y_edge;
  mean_ = incoming[certain_].mean();
  deviation_ = incoming[certain_].std();
  is_away_from_zero() ? slice_line() : slice_logarithm();
}

Gaussian ExactProduct::given(std::size_t edge, double value) const {
  std::array<Gaussian, 3> heard = incoming_;
  heard[edge] = Gaussian::point_mass(value);
  return product_.send(z_edge, product_.info().edges[z_edge].rules.front().rule, heard).message;
}

void ExactProduct::add_slice(double at, double log_weight) {
  const Gaussian message = given(certain_, at);
  if (!message.is_proper()) return;
  const double mean = message.mean();
  const double log_top =
      log_weight + incoming_[certain_].log_density(at) + message.log_density(mean);
  slices_.push_back({std::abs(at), log_top, mean, message.rho()});
}

void ExactProduct::slice_line() {
  for (double u = -kReach; u <= kReach; u += kProductStep)
    add_slice(mean_ + u * deviation_, std::log(kProductStep * deviation_));
}

void ExactProduct::slice_logarithm() {
  const double step =
      std::min(kLongestStep, kShareOfWidth / distance_from_zero(incoming_[certain_]));
  const double top = std::log(std::abs(mean_) + kReach * deviation_);
  for (double u = top; u > top + 2 * std::log(kSmallestShare); u -= step)
    for (const double x : {std::exp(u), -std::exp(u)}) add_slice(x, u + std::log(step));
}

double ExactProduct::log_output(double z) const {
  const Gaussian& other = incoming_[certain_ == x_edge ? y_edge : x_edge];
  // A smaller point would need a value of the other input that is out of reach.
  const double smallest = std::abs(z) / (std::abs(other.mean()) + kFarReach * other.std());
  LogSum sum;
  for (const Slice& slice : slices_) {
    if (slice.size < smallest && !is_away_from_zero()) break;
    sum.add(slice.log_top - 0.5 * slice.rho * (z - slice.mean) * (z - slice.mean));
  }
  return sum.value();
}

bool ExactProduct::is_away_from_zero() const {
  return std::abs(mean_) > kAwayFromZero * deviation_;
}

double ExactProduct::log_input(std::size_t edge, double value) const {
  return log_overlap(given(edge, value), incoming_[z_edge]);
}

ExactProduct::Divergence ExactProduct::output_divergence(const Gaussian& incoming,
                                                         const Gaussian& from) const {
  const Gaussian forward =
      product_.send(z_edge, product_.info().edges[z_edge].rules.front().rule, incoming_).message;
  std::vector<double> range = gaussian_range(forward.mean(), forward.variance(), {}, Reach::near);
  const auto log_density = [&](double z) { return log_output(z) + incoming.log_density(z); };
  if (is_away_from_zero()) {
    const Tabulated density(log_density, range, kScan);
    return {density.log_mass(), kl_divergence(density, from)};
  }
  // Over s with z = unit sinh(s), where the pole at zero is gone but for what has no mass.
  const double unit = kSmallestShare * forward.std();
  const auto z_at = [&](double s) { return unit * std::sinh(s); };
  const auto log_slope = [&](double s) { return std::log(unit * std::cosh(s)); };
  const double least = std::asinh(range.front() / unit), most = std::asinh(range.back() / unit);
  const Tabulated density([&](double s) { return log_density(z_at(s)) + log_slope(s); },
                          {least, 0, most});
  const double kl = density.expect(
      [&](double s, double log_p) { return log_p - log_slope(s) - from.log_density(z_at(s)); });
  return {density.log_mass(), kl};
}

Tabulated ExactProduct::input_marginal(std::size_t edge) const {
  const Gaussian& own = incoming_[edge];
  return {[&](double x) { return log_input(edge, x) + own.log_density(x); },
          gaussian_range(own.mean(), own.variance(), {}, Reach::near)};
}

}  // namespace postrider::internal
