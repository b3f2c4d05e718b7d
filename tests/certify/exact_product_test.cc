#include "certify/exact_product.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "certify/exact_message.h"

namespace postrider::graph {
using namespace internal;
namespace {

constexpr double kDensity = 1e-9;   // absolute, of a logarithm
constexpr double kIntegral = 1e-8;  // of a KL and of a mass

using Incoming = std::vector<Gaussian>;

// Vague, one-sided and certain inputs.
std::vector<Incoming> cases() {
  const auto n = [](double mean, double deviation) {
    return Gaussian::from_moments(mean, deviation * deviation);
  };
  return {{n(0.5, 0.7), n(0, 1), n(0, 1)},       {n(-1, 0.4), n(0.8, 0.5), n(-0.3, 1.5)},
          {n(2, 3), n(5, 1), n(1, 0.2)},         {n(9, 2), n(30, 1), n(0.1, 0.3)},
          {n(0.1, 0.05), n(8.5, 1), n(0.01, 1)}, {n(-1, 9), n(-4, 0.01), n(3, 0.02)}};
}

// The density of z by the rule that everybody knows, over the first input with quadrature.
double log_density_by_quadrature(const Incoming& in, double z) {
  const Tabulated integral(
      [&](double x) {
        return in[1].log_density(x) + in[2].log_density(z / x) - std::log(std::abs(x));
      },
      gaussian_range(in[1].mean(), in[1].variance(), {0}, Reach::near));
  return integral.log_mass();
}

TEST(ExactProduct, DensityOfTheOutputAgreesWithQuadrature) {
  const auto product = make_factor("product");
  for (const Incoming& in : cases()) {
    const ExactProduct exact(*product, in);
    const OutputMoments moments = output_moments(*product, in);
    for (const double u : {-4.0, -1.5, -0.2, 0.01, 0.6, 2.0, 5.0}) {
      const double z = moments.mean + u * std::sqrt(moments.variance);
      EXPECT_NEAR(exact.log_output(z), log_density_by_quadrature(in, z), kDensity) << z;
    }
  }
}

TEST(ExactProduct, MessageToAnInputAgreesWithQuadrature) {
  const auto product = make_factor("product");
  for (const Incoming& in : cases())
    for (const std::size_t edge : {1, 2}) {
      const ExactProduct exact(*product, in);
      const ExactMessage reference(*product, edge, in);
      for (const double u : {-3.0, -0.4, 0.1, 2.5}) {
        const double x = in[edge].mean() + u * in[edge].std();
        EXPECT_NEAR(exact.log_input(edge, x), reference.log_value(x), kDensity);
      }
      EXPECT_NEAR(exact.input_marginal(edge).log_mass(), reference.marginal().log_mass(), kDensity);
    }
}

// The product of two standard normals has the density K_0(|z|)/pi. Its KL from N(0, 1), which has its moments, is
// by numerical integration with 30 digits.
TEST(ExactProduct, TwoStandardNormals) {
  constexpr double kKlOfBessel = 0.214840101933169;
  const auto product = make_factor("product");
  const Incoming in{Gaussian::uniform(), Gaussian::from_moments(0, 1),
                    Gaussian::from_moments(0, 1)};
  const ExactProduct exact(*product, in);
  for (const double z : {1e-6, 0.1, 1.0, 7.0})
    EXPECT_NEAR(exact.log_output(-z), std::log(std::cyl_bessel_k(0, z) / std::numbers::pi),
                kDensity);
  const auto found = exact.output_divergence(Gaussian::uniform(), Gaussian::from_moments(0, 1));
  EXPECT_NEAR(found.log_mass, 0, kIntegral);
  EXPECT_NEAR(found.kl, kKlOfBessel, kIntegral);
}

// The mass against an incoming message, by the other order of integration: over one input, with the
// other and z in closed form.
TEST(ExactProduct, MassAgainstAnIncomingMessage) {
  const auto product = make_factor("product");
  for (const Incoming& in : cases()) {
    const ExactProduct exact(*product, in);
    const Tabulated other_order(
        [&](double x) {
          const double variance = in[0].variance() + x * x * in[2].variance();
          return in[1].log_density(x) +
                 Gaussian::from_moments(x * in[2].mean(), variance).log_density(in[0].mean());
        },
        gaussian_range(in[1].mean(), in[1].variance(), {}, Reach::near));
    const auto found = exact.output_divergence(in[0], in[0]);
    EXPECT_NEAR(found.log_mass, other_order.log_mass(), kIntegral);
  }
}

}  // namespace
}  // namespace postrider::graph
