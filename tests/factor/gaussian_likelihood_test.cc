#include "factor/cases.h"
#include "factor/reference.h"
#include "postrider/error.h"
#include "postrider/graph/factor.h"

namespace postrider::graph {
using namespace internal;
namespace {

using namespace reference;

constexpr std::size_t kY = 0, kX = 1;

std::unique_ptr<Factor> likelihood(double variance) {
  return make_factor("gaussian_likelihood", {{"variance", {variance}}});
}

Reply send(const Factor& factor, std::size_t edge, const Gaussian& other) {
  std::vector<Gaussian> incoming(2);
  incoming[1 - edge] = other;
  return factor.send(edge, Rule::exact, incoming);
}

// The message at a point is the integral of the density over the other variable.
TEST(GaussianLikelihood, IsTheIntegralOfItsDensityAtEveryPoint) {
  Agreement agreement("gaussian_likelihood", kExact);
  RandomStream random(kSeed, 0);
  for (int i = 0; i < 30; ++i) {
    const Moments other = wide_moments(random);
    const double variance = random.log_uniform(1e-6, 1e6);
    const auto factor = likelihood(variance);
    for (const std::size_t edge : {kY, kX}) {
      const Reply reply = send(*factor, edge, gaussian(other));
      const double spread = std::sqrt(other.variance + variance);
      for (const double deviations : {-3.0, 0.0, 0.5, 6.0}) {
        const double at = other.mean + deviations * spread;
        const Moments integral = by_quadrature(
            [&](double t) {
              const std::vector<double> values =
                  edge == kY ? std::vector{at, t} : std::vector{t, at};
              return factor->evaluate(values) + log_density(t, other);
            },
            other);
        agreement.log_mass(reply.log_scale.value() + reply.message.log_density(at),
                           integral.log_mass, text({gaussian(other)}));
      }
      agreement.message(reply.message, {other.mean, other.variance + variance},
                        text({gaussian(other)}));
    }
  }
}

TEST(GaussianLikelihood, OfAnObservationIsItsNoise) {
  EXPECT_EQ(send(*likelihood(0.25), kX, Gaussian::point_mass(-3)).message,
            Gaussian::from_moments(-3, 0.25))
      << "[limit: observed]";
}

TEST(GaussianLikelihood, WithoutNoiseHandsTheMessageOn) {
  const auto factor = likelihood(0);
  for (const std::size_t edge : {kY, kX}) {
    const Gaussian other = Gaussian::from_moments(2, 4);
    EXPECT_EQ(send(*factor, edge, other).message, other);
    EXPECT_EQ(send(*factor, edge, Gaussian::point_mass(7)).message, Gaussian::point_mass(7))
        << "[limit: noiseless]";
  }
}

TEST(GaussianLikelihood, OfNothingIsNothing) {
  for (const std::size_t edge : {kY, kX}) {
    const Reply reply = send(*likelihood(2), edge, Gaussian::uniform());
    EXPECT_TRUE(reply.message.is_uniform());
    EXPECT_EQ(reply.log_scale, 0);  // the density integrates to one
  }
}

TEST(GaussianLikelihood, IsSymmetric) {
  RandomStream random(kSeed, 1);
  for (int i = 0; i < 100; ++i) {
    const Gaussian other = any_state(random);
    EXPECT_EQ(send(*likelihood(2), kY, other).message, send(*likelihood(2), kX, other).message);
  }
}

TEST(GaussianLikelihood, RefusesNegativeVariance) {
  EXPECT_THROW(likelihood(-1), InvalidArgument);
  EXPECT_THROW(likelihood(std::nan("")), InvalidArgument);
}

}  // namespace
}  // namespace postrider::graph
