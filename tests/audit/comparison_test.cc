#include "audit/comparison.h"

#include <gtest/gtest.h>

#include <cmath>

namespace postrider::network {
using namespace internal;
namespace {

constexpr double kQuadrature = 1e-8;

Gaussian normal(double mean, double deviation) {
  return Gaussian::from_moments(mean, deviation * deviation);
}

SentMessage sent_by(const graph::Factor& factor, std::size_t edge, graph::Rule rule,
                    std::vector<Gaussian> in) {
  const Gaussian sent = factor.send(edge, factor.info().rule_or_default(edge, rule), in).message;
  return {std::move(in), sent};
}

TEST(Comparison, KnownFactorsMakeProductsExact) {
  const auto product = graph::make_factor("product");
  const SentMessage message = sent_by(*product, 0, graph::Rule::direct,
                                      {normal(0, 1), normal(1, 2), Gaussian::point_mass(3)});
  EXPECT_TRUE(is_exact(*product, 0, message));
  EXPECT_TRUE(is_exact(*product, 1, message));
  EXPECT_FALSE(is_exact(*product, 2, message));
  const auto relu = graph::make_factor("leaky_relu");
  EXPECT_FALSE(is_exact(*relu, 1, {{normal(0, 1), normal(0, 1)}, normal(0, 1)}));
}

// Far on one side of its kink a leaky ReLU is linear, and its message exact.
TEST(Comparison, NoErrorFarFromTheKink) {
  const auto relu = graph::make_factor("leaky_relu", {{"slope", {0.1}}});
  for (const std::size_t edge : {0, 1}) {
    const Comparison right = compare_with_exact(
        *relu, edge, sent_by(*relu, edge, graph::Rule::direct, {normal(21, 1), normal(20, 1)}));
    EXPECT_EQ(right.outside, Outside::none);
    EXPECT_NEAR(*right.message_kl, 0, kQuadrature);
    EXPECT_NEAR(*right.marginal_kl, 0, kQuadrature);
  }
}

// Forward through the kink, by hand: y has the density N(y; 0, 1) above zero and that of a x below. Its
// entropy is that of x plus half of log a, and its moments are those of the message, so that the KL is
// log(s sqrt(2 pi e)) minus the entropy.
TEST(Comparison, ForwardMessageOfALeakyRelu) {
  constexpr double kSlope = 0.2;
  const auto relu = graph::make_factor("leaky_relu", {{"slope", {kSlope}}});
  const SentMessage message =
      sent_by(*relu, 0, graph::Rule::direct, {Gaussian::uniform(), normal(0, 1)});
  const double mean = (1 - kSlope) / std::sqrt(2 * M_PI);
  const double variance = (1 + kSlope * kSlope) / 2 - mean * mean;
  const Comparison found = compare_with_exact(*relu, 0, message);
  EXPECT_NEAR(*found.message_kl, 0.5 * std::log(variance) - 0.5 * std::log(kSlope), kQuadrature);
  // Nothing came in: no bound, and the belief is the message.
  EXPECT_EQ(found.outside, Outside::nothing_came_in);
  EXPECT_FALSE(found.bound);
  EXPECT_EQ(*found.marginal_kl, *found.message_kl);
}

// A rectifier puts half of the mass on one point.
TEST(Comparison, RectifierHasNoFiniteKlForwardAndNoMassBackward) {
  const auto relu = graph::make_factor("leaky_relu", {{"slope", {0}}});
  const std::vector<Gaussian> in{normal(0.5, 1), normal(0, 1)};
  const Comparison forward =
      compare_with_exact(*relu, 0, sent_by(*relu, 0, graph::Rule::direct, in));
  EXPECT_EQ(forward.outside, Outside::infinite_kl);
  EXPECT_FALSE(forward.marginal_kl);
  const Comparison backward =
      compare_with_exact(*relu, 1, sent_by(*relu, 1, graph::Rule::conditioned, in));
  EXPECT_EQ(backward.outside, Outside::infinite_mass);
  EXPECT_GT(*backward.marginal_kl, 0);
}

TEST(Comparison, ProductsBackwardsAreOutsideTheTheorem) {
  const auto product = graph::make_factor("product");
  const Comparison vague = compare_with_exact(
      *product, 1,
      sent_by(*product, 1, graph::Rule::conditioned, {normal(1, 1), normal(0, 1), normal(1, 1)}));
  EXPECT_EQ(vague.outside, Outside::infinite_mass);
  EXPECT_FALSE(vague.concentrated);
  EXPECT_GT(*vague.marginal_kl, 1e-4);
  const Comparison sharp = compare_with_exact(
      *product, 1,
      sent_by(*product, 1, graph::Rule::direct, {normal(3, 0.01), normal(0, 9), normal(1, 0.001)}));
  EXPECT_TRUE(sharp.concentrated);
  EXPECT_LT(*sharp.marginal_kl, 1e-4);
}

// A message that says nothing has no finite KL; one that lies is seen to do so.
TEST(Comparison, SeesWhatIsWrongWithAMessage) {
  const auto relu = graph::make_factor("leaky_relu", {{"slope", {0.1}}});
  SentMessage message =
      sent_by(*relu, 1, graph::Rule::conditioned, {normal(1, 0.5), normal(0.3, 1)});
  const Comparison right = compare_with_exact(*relu, 1, message);
  ASSERT_TRUE(right.bound);
  EXPECT_LE(*right.marginal_kl, *right.bound);
  message.sent = normal(-3, 0.1);
  const Comparison wrong = compare_with_exact(*relu, 1, message);
  EXPECT_GT(*wrong.marginal_kl, 100 * *right.marginal_kl);
  EXPECT_LE(*wrong.marginal_kl, *wrong.bound);
  message.sent = Gaussian::uniform();
  EXPECT_EQ(compare_with_exact(*relu, 1, message).outside, Outside::infinite_kl);
}

TEST(Comparison, NothingComesBackNothingIsWrong) {
  const auto product = graph::make_factor("product");
  const SentMessage message = sent_by(*product, 1, graph::Rule::conditioned,
                                      {Gaussian::uniform(), normal(0, 1), normal(1, 1)});
  ASSERT_TRUE(message.sent.is_uniform());
  EXPECT_EQ(*compare_with_exact(*product, 1, message).marginal_kl, 0);
}

}  // namespace
}  // namespace postrider::network
