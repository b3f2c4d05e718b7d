#include "factor/cases.h"
#include "factor/reference.h"
#include "postrider/error.h"
#include "postrider/graph/factor.h"

namespace postrider::graph {
using namespace internal;
namespace {

using namespace reference;

std::unique_ptr<Factor> prior(double mean, double variance) {
  return make_factor("gaussian_prior", {{"mean", {mean}}, {"variance", {variance}}});
}

Reply to_x(const Factor& factor, const Gaussian& incoming = {}) {
  return factor.send(0, Rule::exact, std::vector{incoming});
}

TEST(GaussianPrior, HasTheMomentsAndMassOfItsDensity) {
  Agreement agreement("gaussian_prior to x", kExact);
  RandomStream random(kSeed, 0);
  for (int i = 0; i < 100; ++i) {
    const Moments of = wide_moments(random);
    const auto factor = prior(of.mean, of.variance);
    const Moments expected =
        by_quadrature([&](double x) { return factor->evaluate(std::vector{x}); }, of);
    const Reply reply = to_x(*factor);
    agreement.message(reply.message, expected, text({gaussian(of)}));
    agreement.log_mass(reply.log_scale.value(), expected.log_mass, text({gaussian(of)}));
    agreement.log_mass(factor->evaluate(std::vector{of.mean + 1}), log_density(of.mean + 1, of),
                       text({gaussian(of)}));
  }
}

TEST(GaussianPrior, DoesNotListen) {
  const auto factor = prior(2, 3);
  for (const Gaussian& incoming : corner_messages())
    EXPECT_EQ(to_x(*factor, incoming).message, Gaussian::from_moments(2, 3)) << incoming;
}

TEST(GaussianPrior, WithoutVarianceIsAPointMass) {
  EXPECT_EQ(to_x(*prior(2, 0)).message, Gaussian::point_mass(2));
  EXPECT_EQ(to_x(*prior(2, 1e-310)).message, Gaussian::point_mass(2)) << "[limit: sharp]";
}

TEST(GaussianPrior, WithInfiniteVarianceIsUniform) {
  EXPECT_TRUE(to_x(*prior(2, kInfinity)).message.is_uniform()) << "[limit: vague]";
}

TEST(GaussianPrior, RefusesWhatIsNoGaussian) {
  EXPECT_THROW(prior(kInfinity, 1), InvalidArgument);
  EXPECT_THROW(prior(std::nan(""), 1), InvalidArgument);
  EXPECT_THROW(prior(0, -1), InvalidArgument);
  EXPECT_THROW(prior(0, std::nan("")), InvalidArgument);
}

}  // namespace
}  // namespace postrider::graph
