#include "factor/cases.h"
#include "factor/real.h"
#include "factor/reference.h"
#include "postrider/graph/factor.h"

namespace postrider::graph {
using namespace internal;
namespace {

using namespace reference;

constexpr std::size_t kX = 0, kL = 1;

Reply send(std::size_t edge, const Gaussian& other) {
  static const std::unique_ptr<Factor> factor = make_factor("log_normal_copy");
  std::vector<Gaussian> incoming(2);
  incoming[1 - edge] = other;
  const Reply reply = factor->send(edge, Rule::direct, incoming);
  expect_valid(reply, text(incoming));
  return reply;
}

TEST(LogNormalCopy, ToXHasTheMomentsOfTheExponential) {
  Agreement agreement("log_normal_copy to x", kExact);
  RandomStream random(kSeed, 0);
  for (int i = 0; i < 100; ++i) {
    const Moments l{random.uniform(-20, 20), random.log_uniform(1e-6, 4)};
    // The integrand exp(2 l) N(l) peaks 2 var_l right of the mean: each moment has a table of its
    // own, and second moments are taken about the mean.
    const double mean =
        std::exp(by_quadrature([&](double t) { return t + log_density(t, l); }, l).log_mass);
    const double around = std::log(mean);
    const Tabulated wide([&](double t) { return 2 * t + log_density(t, l); },
                         gaussian_range(l.mean, l.variance, {around}));
    const double second = std::exp(wide.log_mass());
    const double variance =
        second * wide.expect([&](double t) { return std::pow(std::expm1(around - t), 2); });
    const Reply reply = send(kX, gaussian(l));
    agreement.message(reply.message, {mean, variance}, text({gaussian(l)}));
    agreement.log_mass(reply.log_scale.value(), 0, "a density maps to a density");
  }
}

// The log-normal that the message to l stands for has the mean and variance of the message from x.
TEST(LogNormalCopy, ToLKeepsMeanAndVariance) {
  Agreement agreement("log_normal_copy to l", kRounding);
  RandomStream random(kSeed, 1);
  for (int i = 0; i < 1000; ++i) {
    const Gaussian x = gaussian(wide_moments(random));
    const Real mean = abs(Real(x.tau()) / x.rho());
    const Real variance = log(1 + 1 / (x.rho() * mean * mean));
    const Real centre = log(mean) - variance / 2;
    const Reply reply = send(kL, x);
    agreement.message(reply.message, {static_cast<double>(centre), static_cast<double>(variance)},
                      text({x}));
    // Read as a function of l, that log-normal is N(exp(l); x): its mass is E[1/y].
    agreement.log_mass(reply.log_scale.value(), static_cast<double>(variance / 2 - centre),
                       text({x}));
  }
}

TEST(LogNormalCopy, ThereAndBackIsTheSameMessage) {
  Agreement agreement("log_normal_copy there and back", kExact);
  RandomStream random(kSeed, 2);
  for (int i = 0; i < 200; ++i) {
    const double mean = random.log_uniform(1e-3, 1e3), ratio = random.log_uniform(1e-3, 1e2);
    const Moments x{mean, mean * mean * ratio * ratio};
    agreement.message(send(kX, send(kL, gaussian(x)).message).message, x,
                      text({gaussian(x)}) + " [limit: round_trip]");
  }
}

TEST(LogNormalCopy, KnownStaysKnown) {
  const Reply to_l = send(kL, Gaussian::point_mass(-5));
  ASSERT_TRUE(to_l.message.is_point_mass());
  EXPECT_NEAR(to_l.message.mean(), std::log(5), kRounding);
  EXPECT_NEAR(to_l.log_scale.value(), -std::log(5), kRounding);  // delta(x - exp(l)) in l
  const Reply to_x = send(kX, Gaussian::point_mass(std::log(5)));
  ASSERT_TRUE(to_x.message.is_point_mass());
  EXPECT_NEAR(to_x.message.mean(), 5, 5 * kRounding) << "[limit: known]";
}

TEST(LogNormalCopy, ZeroMeanSaysNothing) {
  EXPECT_TRUE(send(kL, Gaussian::from_moments(0, 2)).message.is_uniform());
  EXPECT_TRUE(send(kL, Gaussian::point_mass(0)).message.is_uniform()) << "[limit: zero_mean]";
}

// KL of the log-normal from the Gaussian of the same moments, by quadrature: 3/(4 r^2) + O(1/r^4).
TEST(LogNormalCopy, DivergenceHasTheLeadingConstantOfTheLemma) {
  for (const double r : {10.0, 30.0, 100.0}) {
    const Moments x{7, 49 / (r * r)};
    const Moments l = moments_of(send(kL, gaussian(x)).message);
    const Tabulated density([&](double t) { return log_density(t, l); },
                            gaussian_range(l.mean, l.variance, {}));
    // In y = exp(l) the log-normal density is N(l)/y.
    const double divergence = density.expect(
        [&](double t, double log_p) { return log_p - t - log_density(std::exp(t), x); });
    EXPECT_NEAR(divergence * r * r, 0.75, 2 / (r * r)) << r << " [limit: leading_constant]";
  }
}

TEST(LogNormalCopy, OverflowIsCounted) {
  const Reply reply = send(kX, Gaussian::from_moments(800, 1));
  EXPECT_TRUE(reply.message.is_uniform());
  EXPECT_EQ(reply.event, Event::overflowed);
}

TEST(LogNormalCopy, NothingGivesNothing) {
  for (const std::size_t edge : {kX, kL}) {
    EXPECT_TRUE(send(edge, Gaussian()).message.is_uniform());
    EXPECT_EQ(send(edge, Gaussian()).log_scale, 0);
  }
}

TEST(LogNormalCopy, SignOfXDoesNotMatter) {
  RandomStream random(kSeed, 3);
  for (int i = 0; i < 100; ++i) {
    const Moments x = wide_moments(random);
    EXPECT_EQ(send(kL, gaussian(x)).message, send(kL, gaussian({-x.mean, x.variance})).message);
  }
}

}  // namespace
}  // namespace postrider::graph
