#include "certify/exact_product.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace postrider {
namespace {

enum Edge : std::size_t { z_edge, x_edge, y_edge };

// Deviations that hold all of a Gaussian's mass that a double can tell.
constexpr double kReach = 9;
// An input further from zero than this has no mass there: the integrand over it is a smooth bump, and
// the trapezoidal rule with this step in deviations is exact to rounding.
constexpr double kAwayFromZero = 12, kStep = 1.0 / 8;
// Else the integral runs over the logarithm of its size, on both sides. There the integrand falls off
// faster than exponentially at both ends, no peak is narrower than 1/kAwayFromZero, and the
// trapezoidal rule again converges exponentially.
constexpr double kLogarithmicStep = 1.0 / 32;
constexpr int kScan = 24;  // the densities have one peak on either side of zero

double distance_from_zero(const Gaussian& message) {
  return std::abs(message.mean()) / message.deviation();
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
  deviation_ = incoming[certain_].deviation();
}

Gaussian ExactProduct::given(std::size_t edge, double value) const {
  std::array<Gaussian, 3> heard = incoming_;
  heard[edge] = Gaussian::point_mass(value);
  return product_.send(z_edge, product_.info().edges[z_edge].rules.front().rule, heard).message;
}

double ExactProduct::log_joint(double x, double z) const {
  return incoming_[certain_].log_density(x) + given(certain_, x).log_density(z);
}

double ExactProduct::log_over_line(double z) const {
  LogSum sum;
  for (double u = -kReach; u <= kReach; u += kStep) sum.add(log_joint(mean_ + u * deviation_, z));
  return sum.value() + std::log(kStep * deviation_);
}

double ExactProduct::log_over_logarithm(double z) const {
  const Gaussian& other = incoming_[certain_ == x_edge ? y_edge : x_edge];
  const double largest = std::abs(mean_) + kReach * deviation_;
  // A smaller x would need a y out of reach; and below the smallest, nothing is left to tell.
  const double smallest = std::max(
      1e-30 * largest,
      std::min(std::abs(z) / (std::abs(other.mean()) + kReach * other.deviation()), largest));
  LogSum sum;
  for (double u = std::log(smallest); u < std::log(largest); u += kLogarithmicStep)
    for (const double x : {std::exp(u), -std::exp(u)}) sum.add(log_joint(x, z) + u);
  return sum.value() + std::log(kLogarithmicStep);
}

double ExactProduct::log_output(double z) const {
  return std::abs(mean_) > kAwayFromZero * deviation_ ? log_over_line(z) : log_over_logarithm(z);
}

double ExactProduct::log_input(std::size_t edge, double value) const {
  return log_overlap(given(edge, value), incoming_[z_edge]);
}

Tabulated ExactProduct::output() const { return output_marginal(Gaussian::uniform()); }

Tabulated ExactProduct::output_marginal(const Gaussian& incoming) const {
  const Gaussian forward =
      product_.send(z_edge, product_.info().edges[z_edge].rules.front().rule, incoming_).message;
  return {[&](double z) { return log_output(z) + incoming.log_density(z); },
          gaussian_range(forward.mean(), forward.variance(), {0}, Reach::near), kScan};
}

Tabulated ExactProduct::input_marginal(std::size_t edge) const {
  const Gaussian& own = incoming_[edge];
  return {[&](double x) { return log_input(edge, x) + own.log_density(x); },
          gaussian_range(own.mean(), own.variance(), {}, Reach::near)};
}

}  // namespace postrider
