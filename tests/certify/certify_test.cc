#include "postrider/graph/certify.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "certify/altered_factor.h"
#include "complaint.h"
#include "postrider/error.h"
#include "postrider/graph/factor.h"

namespace postrider::graph {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kLarge = 1e6;  // a variance that moderate messages never have and extreme ones do

using Messages = std::span<const Gaussian>;
using Failures = std::vector<std::string>;

// Small enough for the sanitizers.
CertifyOptions few() {
  CertifyOptions options;
  options.configurations = 2;
  options.evaluations = 2000;
  return options;
}

// One edge and quadrature in one dimension: quick to certify.
std::unique_ptr<Factor> relu() { return make_factor("leaky_relu", {{"slope", {0.2}}}); }
constexpr std::size_t kY = 0, kX = 1;

// A failure without the messages that came in, which it must name unless nothing was compared.
std::string without_case(const std::string& failure) {
  const std::size_t at = failure.find(" with ");
  EXPECT_EQ(at == std::string::npos, failure.find("nothing was compared") != std::string::npos)
      << failure;
  return failure.substr(0, at);
}

// The failures of all rules of one edge; the other edges must have none.
Failures failures_of(const Certificate& certificate, const std::string& edge) {
  Failures out;
  for (const EdgeCertificate& one : certificate.edges) {
    if (one.edge == edge)
      for (const std::string& failure : one.failures) out.push_back(without_case(failure));
    else
      EXPECT_EQ(one.failures, Failures{}) << one.edge;
  }
  EXPECT_EQ(certificate.passed(), out.empty());
  return out;
}

Reply with_variance(const Reply& right, const std::function<double(double)>& change) {
  Reply out = right;
  if (right.message.is_proper())
    out.message = Gaussian::from_moments(right.message.mean(), change(right.message.variance()));
  return out;
}

TEST(Certify, ACorrectFactorPassesAllFourParts) {
  const Certificate certificate = certify(*relu(), few());
  EXPECT_TRUE(certificate.passed());
  EXPECT_EQ(certificate.factor, "leaky_relu");
  ASSERT_EQ(certificate.edges.size(), 3U);  // y; x conditioned; x direct
  for (const EdgeCertificate& edge : certificate.edges) {
    EXPECT_EQ(edge.failures, Failures{});
    ASSERT_TRUE(edge.exactness && edge.consistency);
    EXPECT_EQ(edge.exactness->compared + edge.exactness->guarded, few().configurations);
    EXPECT_GT(edge.exactness->compared, 0U);
    EXPECT_EQ(edge.properness.evaluations, few().evaluations);
    std::size_t events = 0;
    for (const std::size_t count : edge.properness.events) events += count;
    EXPECT_EQ(events, few().evaluations);
    EXPECT_NEAR(edge.consistency->distance.rate.value(), 1, 0.1);
    EXPECT_EQ(edge.master_theorem.has_value(), edge.edge == "x");
  }
}

TEST(Certify, LooksOnlyAtWhatAFactorPromises) {
  const Certificate prior = certify(*make_factor("gaussian_prior"), few());
  EXPECT_TRUE(prior.passed());
  EXPECT_FALSE(prior.edges[0].consistency);     // no other edge that could concentrate
  EXPECT_FALSE(prior.edges[0].master_theorem);  // an exact message leaves nothing to bound
  const Certificate probit = certify(*make_factor("probit"), few());
  EXPECT_TRUE(probit.passed());
  EXPECT_TRUE(probit.edges[0].exactness);
  EXPECT_FALSE(probit.edges[0].master_theorem);  // an improper exact message is outside of it
  const Certificate copy = certify(*make_factor("log_normal_copy"), few());
  EXPECT_TRUE(copy.passed());
  EXPECT_FALSE(copy.edges[1].exactness);  // claims to be approximate
  EXPECT_TRUE(copy.edges[1].consistency);
}

// A small slope makes thin, far tails and a relation that is nearly flat: neither is a failure.
TEST(Certify, ASmallSlopePasses) {
  CertifyOptions options = few();
  for (options.seed = 1; options.seed <= 5; ++options.seed)
    for (const double slope : {0.001, 0.01, 0.05}) {
      const Certificate found = certify(*make_factor("leaky_relu", {{"slope", {slope}}}), options);
      EXPECT_TRUE(found.passed()) << "seed " << options.seed << "\n" << to_text(found);
    }
}

// A factor of one's own: y = x/2 through quadrature.
TEST(Certify, AFactorOfTheUsersPasses) {
  CertifyOptions options = few();
  options.evaluations = 20;
  const auto half = make_deterministic("half", [](double x) { return x / 2; });
  EXPECT_TRUE(certify(*half, options).passed());
}

TEST(Certify, AVarianceThatIsOffFails) {
  const AlteredFactor wrong(relu(), kY, [](const Reply& right, Messages) {
    return with_variance(right, [](double variance) { return variance * (1 + 1e-6); });
  });
  EXPECT_EQ(failures_of(certify(wrong, few()), "y"), Failures{"moments are off by 1e-06"});
  CertifyOptions lenient = few();
  lenient.exactness_tolerance = 1e-5;
  EXPECT_TRUE(certify(wrong, lenient).passed());
}

TEST(Certify, ATiltedVarianceThatIsOffFails) {
  const AlteredFactor wrong(make_factor("probit"), 0, [](const Reply& right, Messages) {
    return with_variance(right, [](double variance) { return variance * (1 + 1e-6); });
  });
  const Failures found = failures_of(certify(wrong, few()), "x");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].substr(0, 19), "moments are off by ");
  EXPECT_EQ(found[1].substr(0, 24), "the log scale is off by ");  // the mass of the product moves
}

TEST(Certify, AnInconsistentFactorFails) {
  AlteredFactor wrong(relu(), kY, [](const Reply& right, Messages) {
    return with_variance(right, [](double variance) { return variance + 1; });
  });
  wrong.claiming(Claim::approximate);
  const Failures found = failures_of(certify(wrong, few()), "y");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].substr(0, 44), "inconsistent: the distance only falls from 1");
  EXPECT_EQ(found[0].substr(found[0].size() - 5), " to 1");
}

// An approximation with an error that vanishes is what the condition asks for.
TEST(Certify, AnErrorThatVanishesIsConsistent) {
  AlteredFactor other(relu(), kY, [](const Reply& right, Messages) {
    return with_variance(right, [](double variance) { return 3 * variance; });
  });
  EXPECT_TRUE(certify(other.claiming(Claim::approximate), few()).passed());
}

TEST(Certify, AFactorThatNeverSpeaksIsInconsistent) {
  AlteredFactor wrong(relu(), kY, [](const Reply&, Messages) { return Reply{{}, 0.0}; });
  EXPECT_EQ(failures_of(certify(wrong.claiming(Claim::approximate), few()), "y"),
            Failures{"inconsistent: the distance only falls from inf to inf"});
}

TEST(Certify, ANegativePrecisionFails) {
  const AlteredFactor natural(relu(), kY, [](const Reply& right, Messages) {
    Reply out = right;
    if (right.message.is_proper() && right.message.variance() > kLarge)
      out.message = Gaussian::from_natural(right.message.tau(), -right.message.rho());
    return out;
  });
  const AlteredFactor quotient(relu(), kY, [](const Reply& right, Messages) {
    Reply out = right;
    if (right.message.is_proper() && right.message.variance() > kLarge)
      out.message = right.message / Gaussian::from_moments(0, 1);
    return out;
  });
  for (const Factor* wrong : std::vector<const Factor*>{&natural, &quotient}) {
    const Certificate certificate = certify(*wrong, few());
    const std::size_t count = certificate.edges[0].properness.negative_precisions;
    EXPECT_GT(count, few().evaluations / 10);
    EXPECT_EQ(failures_of(certificate, "y"),
              Failures{std::to_string(count) + " negative precisions, the first"});
  }
}

TEST(Certify, AFailureNamesTheMessagesThatCameIn) {
  std::vector<Gaussian> first;
  const AlteredFactor negative(relu(), kY, [&](const Reply& right, Messages incoming) {
    if (!incoming[kX].is_proper() || incoming[kX].variance() < kLarge) return right;
    if (first.empty()) first.assign(incoming.begin(), incoming.end());
    return Reply{Gaussian::from_natural(0, -1), 0.0};
  });
  const Certificate improper = certify(negative, few());
  EXPECT_EQ(improper.edges[0].properness.first_negative, first);
  EXPECT_NE(to_text(improper).find("the first with y " + to_string(first[kY]) + ", x " +
                                   to_string(first[kX]) + " coming in\n"),
            std::string::npos)
      << to_text(improper);

  // The worst of several: here the further from 0, the further off.
  const AlteredFactor off(relu(), kY, [&](const Reply& right, Messages incoming) {
    const bool is_moderate = incoming[kX].is_proper() && std::abs(incoming[kX].mean()) <= 3;
    const double distance = is_moderate ? std::abs(incoming[kX].mean()) : 0;
    return with_variance(right, [&](double variance) { return variance * (1 + distance / 10); });
  });
  CertifyOptions options = few();
  options.configurations = 5;
  const Certificate inexact = certify(off, options);
  const EdgeCertificate& edge = inexact.edges[0];
  ASSERT_EQ(edge.exactness->worst_moment_case.size(), 2U);
  const double furthest = std::abs(edge.exactness->worst_moment_case[kX].mean());
  EXPECT_NEAR(edge.exactness->worst_moment_error, furthest / 10, 1e-9);
  ASSERT_FALSE(edge.failures.empty());
  EXPECT_NE(edge.failures[0].find(to_string(edge.exactness->worst_moment_case[kX])),
            std::string::npos);
}

TEST(Certify, AWrongLogScaleFails) {
  const auto shifted = [](const Reply& right, Messages) {
    return Reply{right.message, right.log_scale.value() + 1e-3, right.event};
  };
  const Failures expected{"the log scale is off by 0.001"};
  EXPECT_EQ(failures_of(certify(AlteredFactor(relu(), kY, shifted), few()), "y"), expected);
  // Both rules towards x.
  EXPECT_EQ(failures_of(certify(AlteredFactor(relu(), kX, shifted), few()), "x"),
            (Failures{expected[0], expected[0]}));
  EXPECT_EQ(failures_of(certify(AlteredFactor(make_factor("probit"), 0, shifted), few()), "x"),
            expected);
}

TEST(Certify, ALogScaleThatIsNoNumberOrMissingFails) {
  const AlteredFactor nan(relu(), kY, [](const Reply& right, Messages) {
    return Reply{right.message, kNan, right.event};
  });
  const AlteredFactor missing(relu(), kY, [](const Reply& right, Messages) {
    return Reply{right.message, {}, right.event};
  });
  const Failures expected{"the log scale is off by inf"};
  EXPECT_EQ(failures_of(certify(nan, few()), "y"), expected);
  EXPECT_EQ(failures_of(certify(missing, few()), "y"), expected);
}

// Gaussian does not let a NaN in: it is refused where the factor makes it.
TEST(Certify, ANanIsRefusedWhereItIsMade) {
  const AlteredFactor wrong(relu(), kY, [](const Reply& right, Messages) {
    return Reply{Gaussian::from_natural(kNan, right.message.rho()), 0.0};
  });
  EXPECT_EQ(complaint([&] { certify(wrong, few()); }), "tau = nan: must be finite");
}

// Only arithmetic beyond the largest number leads to one, and it is counted.
TEST(Certify, ANanByOverflowFails) {
  const Gaussian most = Gaussian::from_natural(std::numeric_limits<double>::max(), 1);
  const AlteredFactor wrong(relu(), kY, [&](const Reply& right, Messages) {
    Reply out = right;
    if (right.message.is_proper() && right.message.variance() > kLarge)
      out.message = (most * most) / (most * most) * right.message;
    return out;
  });
  const Certificate certificate = certify(wrong, few());
  const std::size_t count = certificate.edges[0].properness.nans;
  EXPECT_GT(count, few().evaluations / 10);
  EXPECT_EQ(failures_of(certificate, "y"), Failures{std::to_string(count) + " NaN, the first"});
}

// Nothing is promised where a guard fired; but a guard that always fires keeps no promise at all.
TEST(Certify, GuardedRepliesAreCountedAndNotCompared) {
  const AlteredFactor guarded(relu(), kY, [](const Reply& right, Messages) {
    Reply out = with_variance(right, [](double variance) { return 2 * variance; });
    out.event = Event::linearised;
    return out;
  });
  const Certificate certificate = certify(guarded, few());
  EXPECT_EQ(failures_of(certificate, "y"),
            Failures{"a guard fired in every configuration: nothing was compared"});
  EXPECT_EQ(certificate.edges[0].exactness->compared, 0U);
  EXPECT_EQ(certificate.edges[0].exactness->guarded, few().configurations);
  EXPECT_EQ(certificate.edges[0].properness.events[static_cast<std::size_t>(Event::linearised)],
            few().evaluations);
}

TEST(Certify, MoreThanThreeEdgesAreRefused) {
  const auto sum = make_factor("linear", {{"weights", {1, 1, 1}}});
  EXPECT_EQ(complaint([&] { certify(*sum, few()); }),
            "linear.edges = 4: a certificate needs at most 3 edges");
}

TEST(Certify, OptionsValidateThemselves) {
  EXPECT_NO_THROW(CertifyOptions().validate());
  CertifyOptions none;
  none.configurations = 0;
  EXPECT_EQ(complaint([&] { certify(*relu(), none); }), "configurations = 0: must be at least 1");
  CertifyOptions unproven;
  unproven.evaluations = 0;
  EXPECT_EQ(complaint([&] { certify(*relu(), unproven); }), "evaluations = 0: must be at least 1");
  for (const double tolerance : {0.0, -1.0, kNan}) {
    CertifyOptions options;
    options.exactness_tolerance = tolerance;
    EXPECT_NE(complaint([&] { certify(*relu(), options); }).find("must be positive"),
              std::string::npos);
  }
}

TEST(Certify, IsAFunctionOfTheSeed) {
  CertifyOptions other = few();
  other.seed = 2;
  EXPECT_EQ(to_json(certify(*relu(), few())), to_json(certify(*relu(), few())));
  EXPECT_NE(to_json(certify(*relu(), few())), to_json(certify(*relu(), other)));
}

TEST(Certify, EveryPartDrawsItsMessagesByTheSeed) {
  CertifyOptions other = few();
  other.seed = 2;
  // x, conditioned: the rule that all four parts look at.
  const EdgeCertificate one = certify(*relu(), few()).edges[1];
  const EdgeCertificate two = certify(*relu(), other).edges[1];
  EXPECT_NE(one.exactness->worst_moment_case, two.exactness->worst_moment_case);
  EXPECT_NE(one.consistency->last_case, two.consistency->last_case);
  EXPECT_NE(one.properness.events, two.properness.events);
  EXPECT_NE(one.master_theorem->max_ratio, two.master_theorem->max_ratio);
}

}  // namespace
}  // namespace postrider::graph
