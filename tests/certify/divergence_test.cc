#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/random.h"
#include "certify/exact_message.h"
#include "postrider/graph/factor.h"

namespace postrider::graph {
using namespace internal;
namespace {

constexpr double kQuadrature = 1e-12;  // sums over the nodes of Tabulated
constexpr double kZero = 1e-13;        // a KL that is rounding

double log_normal(double x, double mean, double variance) {
  return -0.5 * ((x - mean) * (x - mean) / variance + std::log(2 * M_PI * variance));
}

Tabulated tabulated(double mean, double variance) {
  return {[=](double x) { return log_normal(x, mean, variance); },
          gaussian_range(mean, variance, {})};
}

double gaussian_kl(double mean_p, double var_p, double mean_q, double var_q) {
  const double gap = mean_p - mean_q;
  return 0.5 * (std::log(var_q / var_p) + (var_p + gap * gap) / var_q - 1);
}

TEST(Divergence, BetweenGaussiansIsTheClosedForm) {
  for (const auto& [mean_q, var_q] :
       std::vector<std::pair<double, double>>{{0.5, 2}, {-3, 0.4}, {0.5, 200}, {10, 1.3}}) {
    const double expected = gaussian_kl(0.5, 1.3, mean_q, var_q);
    EXPECT_NEAR(kl_divergence(tabulated(0.5, 1.3), Gaussian::from_moments(mean_q, var_q)), expected,
                kQuadrature * std::max(1.0, expected));
  }
  EXPECT_NEAR(kl_divergence(tabulated(-2, 3), Gaussian::from_moments(-2, 3)), 0, kZero);
}

// Halves of Gaussians that meet at 1, deviations 1 and 3, not normalised. Mass 4 sqrt(pi/2), shares
// 1/4 and 3/4; each half has E[(x - 1)^2] = its variance, so E[log p] = -1/2 - log mass.
TEST(Divergence, OfTwoPiecesIsTheClosedForm) {
  const Tabulated p(
      [](double x) { return x < 1 ? -(x - 1) * (x - 1) / 2 : -(x - 1) * (x - 1) / 18; },
      {-60, 1, 200});
  const double second = (1 + 27) / 4.0, gap = (9 - 1) / 4.0 * std::sqrt(2 / M_PI);
  const double m = 0.3, v = 5;
  const double cross =
      -0.5 * ((second + 2 * gap * (1 - m) + (1 - m) * (1 - m)) / v + std::log(2 * M_PI * v));
  const double expected = -0.5 - std::log(4 * std::sqrt(M_PI / 2)) - cross;
  EXPECT_NEAR(kl_divergence(p, Gaussian::from_moments(m, v)), expected, kQuadrature);
}

TEST(MasterInstance, OfAnExactMessageIsZero) {
  const auto factor = make_factor("gaussian_likelihood");
  const std::vector<Gaussian> in{Gaussian::from_moments(1, 0.5), Gaussian::from_moments(-1, 2)};
  const Gaussian sent = factor->send(1, Rule::exact, in).message;
  const ExactMessage exact(*factor, 1, in);
  const MasterInstance found = master_instance(exact.density(sent), exact.marginal(), in[1], sent);
  EXPECT_NEAR(found.message_kl, 0, kZero);
  EXPECT_NEAR(found.marginal_kl, 0, kZero);
  EXPECT_NEAR(found.bound, 0, kZero);
}

// All Gaussian: every part has a closed form.
TEST(MasterInstance, OfGaussiansIsTheClosedForm) {
  const double m = 0.4, v = 0.8;                       // the exact message
  const double own_m = -0.5, own_v = 1.5;              // the incoming one
  const Gaussian sent = Gaussian::from_moments(1, 2);  // the approximate one
  const double marginal_v = 1 / (1 / v + 1 / own_v);
  const double marginal_m = marginal_v * (m / v + own_m / own_v);
  const double log_z = log_normal(m, own_m, v + own_v);
  const Tabulated marginal(
      [&](double x) { return log_normal(x, m, v) + log_normal(x, own_m, own_v); },
      gaussian_range(own_m, own_v, {}));
  const MasterInstance found =
      master_instance(tabulated(m, v), marginal, Gaussian::from_moments(own_m, own_v), sent);
  const double delta = gaussian_kl(m, v, 1, 2);
  const double sent_v = 1 / (0.5 + 1 / own_v), sent_m = sent_v * (0.5 + own_m / own_v);
  EXPECT_NEAR(found.message_kl, delta, kQuadrature);
  EXPECT_NEAR(found.marginal_kl, gaussian_kl(marginal_m, marginal_v, sent_m, sent_v), kQuadrature);
  EXPECT_NEAR(found.bound, std::exp(log_normal(0, 0, own_v) - log_z) * delta, kQuadrature);
  EXPECT_DOUBLE_EQ(found.ratio(), found.marginal_kl / found.bound);
}

TEST(MasterInstance, BoundHoldsForRandomLeakyRelus) {
  constexpr int kCases = 40;
  RandomStream random(1, 0);
  for (int i = 0; i < kCases; ++i) {
    const double slope = random.log_uniform(0.05, 0.9);
    const auto factor = make_factor("leaky_relu", {{"slope", {slope}}});
    std::vector<Gaussian> in;
    for (int k = 0; k < 2; ++k) {
      const double mean = random.uniform(-3, 3);
      in.push_back(Gaussian::from_moments(mean, random.log_uniform(0.05, 20)));
    }
    const Gaussian sent = factor->send(1, Rule::direct, in).message;
    const ExactMessage exact(*factor, 1, in);
    const MasterInstance found =
        master_instance(exact.density(sent), exact.marginal(), in[1], sent);
    EXPECT_GE(found.message_kl, -kZero);
    EXPECT_GE(found.marginal_kl, -kZero);
    EXPECT_LE(found.marginal_kl, found.bound + kZero)
        << "slope " << slope << ", y " << in[0] << ", x " << in[1];
  }
}

}  // namespace
}  // namespace postrider::graph
