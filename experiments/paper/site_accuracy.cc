#include "site_accuracy.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/random.h"
#include "factor/relu_tilted-inl.h"
#include "math/quadrature.h"
#include "projected_product.h"

namespace postrider::experiments {
using namespace internal;
namespace {

namespace lanes = HWY_NAMESPACE;
using Message = lanes::Message<double>;
using Moments = lanes::Moments<double>;

constexpr double kRounding = 1e-9;  // of the cavity's precision

double log_normal(double x, double mean, double variance) {
  return -std::log(variance) / 2 - (x - mean) * (x - mean) / (2 * variance);
}

Message divided(double mean, double variance, const Moments& cavity) {
  return {mean / variance - cavity.mean / cavity.variance, 1 / variance - 1 / cavity.variance};
}

// To x and, swapped, to y: moments of N(x; x) N(m_z; x m_y, s_z + x^2 s_y) from its values alone.
Tabulated along(const Moments& x, const Moments& y, const Moments& z) {
  return {[&](double t) {
            return log_normal(t, x.mean, x.variance) +
                   log_normal(z.mean, t * y.mean, z.variance + t * t * y.variance);
          },
          gaussian_range(x.mean, x.variance, {})};
}

Message reference_to_x(const Moments& x, const Moments& y, const Moments& z) {
  const Tabulated density = along(x, y, z);
  return divided(density.mean(), density.variance(), x);
}

// z given x is Gaussian, with these two moments.
Message reference_to_z(const Moments& x, const Moments& y, const Moments& z) {
  const Tabulated density = along(x, y, z);
  const auto spread = [&](double t) {
    return t * t * y.variance * z.variance / (z.variance + t * t * y.variance);
  };
  const auto centre = [&](double t) {
    return (t * y.mean * z.variance + z.mean * t * t * y.variance) /
           (z.variance + t * t * y.variance);
  };
  const double mean = density.expect(centre);
  const double variance =
      density.expect([&](double t) { return spread(t) + (centre(t) - mean) * (centre(t) - mean); });
  return divided(mean, variance, z);
}

Message reference_relu(double slope, const Moments& front, const Message& back) {
  const Tabulated density(
      [&](double t) {
        const double g = t > 0 ? t : slope * t;
        return log_normal(t, front.mean, front.variance) + back.tau * g - back.rho * g * g / 2;
      },
      gaussian_range(front.mean, front.variance, {0}));
  return divided(density.mean(), density.variance(), front);
}

// Compares one message, and returns how far it is off.
double compare(const Message& found, const Message& expected, const Moments& cavity,
               SiteAccuracy& out) {
  ++out.compared;
  const double strength = std::max(1.0, std::abs(expected.rho) * cavity.variance);
  const double precision = expected.rho * cavity.variance;
  if (precision < -kRounding) ++out.negative;
  if (std::abs(precision) > kRounding && (found.rho < 0) != (precision < 0)) ++out.signs_differ;
  const double shift = std::max(1.0, std::abs(expected.tau) * std::sqrt(cavity.variance));
  return std::max(std::abs(found.rho - expected.rho) * cavity.variance / strength,
                  std::abs(found.tau - expected.tau) * std::sqrt(cavity.variance) / shift);
}

// Signal-to-noise ratios from 1/10 to 10 and more.
Moments random_message(RandomStream& random) {
  return {random.normal(), std::exp(random.uniform(-4, 2))};
}

// What comes back to a product: up to several deviations away, or vague and far, as a clipped
// message is.
Moments random_back(RandomStream& random, double forward_mean, bool is_vague) {
  if (!is_vague) return {forward_mean + 2 * random.normal(), std::exp(random.uniform(-4, 4))};
  const double variance = std::exp(random.uniform(7, 12));
  return {random.normal() * variance, variance};
}

void compare_products(RandomStream& random, std::size_t count, SiteAccuracy& out) {
  constexpr std::size_t kVagueEvery = 4;
  ProductMessages products;
  products.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const Moments x = random_message(random), y = random_message(random);
    const Moments z = random_back(random, x.mean * y.mean, i % kVagueEvery == 0);
    const auto put = [i](const Moments& from, MomentArrays& to) {
      to.mean[i] = from.mean;
      to.variance[i] = from.variance;
    };
    put(x, products.x);
    put(y, products.y);
    put(z, products.z);
  }
  project(products, SimdLevel::best());
  for (std::size_t i = 0; i < count; ++i) {
    const auto in = [i](const MomentArrays& from) {
      return Moments{from.mean[i], from.variance[i]};
    };
    const auto sent = [i](const SiteArrays& from) { return Message{from.tau[i], from.rho[i]}; };
    const Moments x = in(products.x), y = in(products.y), z = in(products.z);
    const double to_x = compare(sent(products.to_x), reference_to_x(x, y, z), x, out);
    const double to_y = compare(sent(products.to_y), reference_to_x(y, x, z), y, out);
    const std::size_t before = out.negative;
    const double to_z = compare(sent(products.to_z), reference_to_z(x, y, z), z, out);
    out.negative_to_term += out.negative - before;
    out.product = std::max({out.product, to_x, to_y, to_z});
  }
}

void compare_relus(RandomStream& random, std::size_t count, SiteAccuracy& out) {
  constexpr std::array<double, 4> kSlopes{0.1, 0.4, 0.5, 0.8};
  constexpr std::size_t kNegativeEvery = 3;
  for (std::size_t i = 0; i < count; ++i) {
    const Moments front = random_message(random);
    const double slope = kSlopes[i % kSlopes.size()];
    const double rho =
        (i % kNegativeEvery == 0 ? -random.uniform(0, 0.95) : std::exp(random.uniform(-3, 3))) /
        front.variance;
    const Message back{2 * random.normal() * std::sqrt(std::abs(rho)), rho};
    const Message found = lanes::relu_tilted(slope, lanes::message_of(front), front, back).message;
    out.relu = std::max(out.relu, compare(found, reference_relu(slope, front, back), front, out));
  }
}

}  // namespace

SiteAccuracy site_accuracy(std::uint64_t seed, std::size_t count) {
  SiteAccuracy out;
  RandomStream random(seed, 0);
  compare_products(random, count, out);
  compare_relus(random, count, out);
  return out;
}

}  // namespace postrider::experiments
