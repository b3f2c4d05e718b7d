#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "audit/problem.h"
#include "complaint.h"
#include "network/network_graph.h"
#include "postrider/network/audit.h"

namespace postrider::network {
using namespace internal;
namespace {

const NetworkCertificate::Messages& find(const NetworkCertificate& certificate, std::size_t layer,
                                         const std::string& factor, const std::string& to) {
  return *std::find_if(certificate.messages.begin(), certificate.messages.end(),
                       [&](const NetworkCertificate::Messages& kind) {
                         return kind.layer == layer && kind.factor == factor && kind.to == to;
                       });
}

NetworkCertificate::Options quick() {
  NetworkCertificate::Options out;
  out.rows = 3;
  out.messages = 6;
  return out;
}

class NetworkCertificateOf : public testing::TestWithParam<graph::Rule> {
 protected:
  NetworkCertificateOf() {
    NetworkOptions options = NetworkOptions::dense(3, {6, 5});
    options.rule = GetParam();
    model = trained(options, problem);
    rows = {problem.inputs, problem.targets};
  }

  const AuditProblem problem = audit_problem(120, 1);
  std::optional<AuditedNetwork> model;
  Examples rows;

  NetworkCertificate certified(const NetworkCertificate::Options& options) const {
    return certify_network(model->network, rows, Likelihood::gaussian, model->noise_variance,
                           options);
  }
};

// 3 rows through 3-6-5-1: products and sums counted by hand.
TEST_P(NetworkCertificateOf, CountsAllMessages) {
  const NetworkCertificate found = certified(quick());
  EXPECT_EQ(found.rows, 3u);
  EXPECT_EQ(found.weights, 6u * 4 + 5 * 7 + 6);
  EXPECT_EQ(find(found, 1, "product", "term").sent, 3u * 6 * 4);
  EXPECT_EQ(find(found, 2, "product", "weight").sent, 3u * 5 * 7);
  EXPECT_EQ(find(found, 2, "product", "input").sent, 3u * 5 * 6);
  EXPECT_EQ(find(found, 2, "activation", "sum").sent, 3u * 5);
  EXPECT_EQ(find(found, 3, "sum", "term").sent, 3u * 6);
  // Inputs are known, and so is the one that a bias is multiplied with.
  EXPECT_EQ(find(found, 1, "product", "weight").exact, 3u * 6 * 4);
  EXPECT_EQ(find(found, 2, "product", "weight").exact, 3u * 5);
  EXPECT_EQ(find(found, 2, "sum", "sum").exact, 3u * 5);
  EXPECT_EQ(found.guards.rows, 120u);
  EXPECT_EQ(found.guards.activations, 120u * (6 + 5));
  for (const NetworkCertificate::Messages& kind : found.messages) {
    std::size_t events = 0;  // "none" is one of them
    for (const std::size_t count : kind.events) events += count;
    EXPECT_EQ(events, kind.sent) << kind.layer << kind.factor << kind.to;
  }
}

TEST_P(NetworkCertificateOf, BoundsHoldWhereTheTheoremApplies) {
  const NetworkCertificate found = certified(quick());
  EXPECT_TRUE(found.passed());
  std::size_t bounds = 0;
  for (const NetworkCertificate::Messages& kind : found.messages) {
    bounds += kind.bound.count;
    EXPECT_EQ(kind.violations, 0u) << kind.layer << kind.factor << kind.to;
    EXPECT_EQ(kind.bound.count + kind.outside(), kind.compared);
    EXPECT_LE(kind.largest_ratio, 1);
    EXPECT_LE(kind.marginal_kl.median, kind.marginal_kl.largest);
  }
  EXPECT_EQ(bounds, 6u * 6);  // forward products of layers 2 and 3, both activations both ways
  const NetworkCertificate::Messages& weight = find(found, 2, "product", "weight");
  EXPECT_EQ(weight.infinite_mass, weight.compared);
  EXPECT_EQ(weight.marginal_kl.count, weight.compared);
}

TEST_P(NetworkCertificateOf, ThreadsDoNotMatterAndTheSeedDoes) {
  NetworkCertificate::Options options = quick();
  const std::string alone = to_json(certified(options));
  options.threads = 3;
  EXPECT_EQ(to_json(certified(options)), alone);
  options.seed = 2;
  EXPECT_NE(to_json(certified(options)), alone);
}

// Targets in another unit, a thousand times too large: no message that comes back is near the exact one.
TEST_P(NetworkCertificateOf, BadMessagesAreFound) {
  std::vector<double> far = problem.targets;
  for (double& y : far) y *= 1000;
  rows.targets = far;
  const NetworkCertificate found = certified(quick());
  EXPECT_FALSE(found.passed());
  EXPECT_GT(found.inconsistent(), 0u);
  EXPECT_GT(found.largest_belief_kl(), quick().kl_limit);
  const NetworkCertificate::Messages& weight = find(found, 3, "product", "weight");
  EXPECT_EQ(weight.inconsistent, weight.compared);
  EXPECT_EQ(find(found, 3, "product", "term").inconsistent, 0u);  // forward
  EXPECT_NE(to_text(found).find("\n  INCONSISTENT: "), std::string::npos) << to_text(found);
}

// The limit lies between what is and what is not an inconsistency.
TEST_P(NetworkCertificateOf, TheLimitIsThatOfTheOptions) {
  NetworkCertificate::Options options = quick();
  const double largest = certified(options).largest_belief_kl();
  ASSERT_GT(largest, 0);
  options.kl_limit = largest;
  EXPECT_TRUE(certified(options).passed());
  options.kl_limit = std::nextafter(largest, 0.0);
  EXPECT_EQ(certified(options).inconsistent(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Rules, NetworkCertificateOf,
                         testing::Values(graph::Rule::conditioned, graph::Rule::direct),
                         [](const auto& at) { return std::string(to_string(at.param)); });

// With inputs that are uncertain, first-layer products have something to compare.
TEST(NetworkCertificate, MissingInputsAreMessages) {
  AuditProblem problem = audit_problem(60, 2);
  const AuditedNetwork model = trained(NetworkOptions::dense(3, {5}), problem);
  for (double& x : problem.inputs) x = std::numeric_limits<double>::quiet_NaN();
  const NetworkCertificate found =
      certify_network(model.network, {problem.inputs, problem.targets}, Likelihood::gaussian,
                      model.noise_variance, quick());
  const NetworkCertificate::Messages& term = find(found, 1, "product", "term");
  EXPECT_EQ(term.exact, 3u * 5);  // biases
  EXPECT_EQ(term.compared, 6u);
  EXPECT_GT(term.message_kl.median, 0);
}

// The seed draws rows, and messages where there are more than are compared.
TEST(NetworkCertificate, TheSeedDrawsRowsAndMessages) {
  AuditProblem problem = audit_problem(40, 2);
  const AuditedNetwork model = trained(NetworkOptions::dense(3, {5}), problem);
  const auto errors = [&](std::size_t messages, std::uint64_t seed) {
    NetworkCertificate::Options options;
    options.rows = 1;
    options.messages = messages;
    options.seed = seed;
    const NetworkCertificate found =
        certify_network(model.network, {problem.inputs, problem.targets}, Likelihood::gaussian,
                        model.noise_variance, options);
    const NetworkCertificate::Spread& spread = find(found, 2, "product", "term").marginal_kl;
    return std::vector<double>{spread.median, spread.largest};
  };
  constexpr std::size_t kAll = 1000;
  EXPECT_NE(errors(kAll, 1), errors(kAll, 2)) << "of different rows";
  std::fill(problem.targets.begin() + 1, problem.targets.end(),
            std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(errors(kAll, 1), errors(kAll, 2)) << "all messages of the only row";
  EXPECT_NE(errors(2, 1), errors(2, 2)) << "two of its messages";
}

TEST(NetworkCertificate, ClassesAndMissingTargets) {
  AuditProblem problem = audit_problem(80, 3);
  for (double& y : problem.targets) y = y > 0 ? 1 : 0;
  const AuditedNetwork model = trained(NetworkOptions::dense(3, {5}), problem, Likelihood::classes);
  Examples rows{problem.inputs, problem.targets};
  const auto certified = [&] {
    return certify_network(model.network, rows, Likelihood::classes, model.noise_variance, quick());
  };
  EXPECT_TRUE(certified().passed());
  std::vector<double> none(80, std::numeric_limits<double>::quiet_NaN());
  none[17] = 1;
  rows.targets = none;
  EXPECT_EQ(certified().rows, 1u);
  none[17] = none[0];
  EXPECT_EQ(complaint([&] { certified(); }),
            "targets = 80: must have at least one row with a target");
}

TEST(NetworkCertificate, RefusesWhatMakesNoSense) {
  const AuditProblem problem = audit_problem(10, 1);
  const Network network(NetworkOptions::dense(3, {4}));
  const Examples rows{problem.inputs, problem.targets};
  const std::vector<double> noise{0.1}, noiseless{0};
  NetworkCertificate::Options options;
  options.messages = 0;
  EXPECT_EQ(
      complaint([&] { certify_network(network, rows, Likelihood::gaussian, noise, options); }),
      "messages = 0: must be at least 1");
  options = {};
  options.kl_limit = 0;
  EXPECT_EQ(
      complaint([&] { certify_network(network, rows, Likelihood::gaussian, noise, options); }),
      "kl_limit = 0: must be a number of nats above 0");
  EXPECT_EQ(complaint([&] { certify_network(network, rows, Likelihood::gaussian, noiseless); }),
            "noise_variance = 0: must be a number above 0");
}

TEST(NetworkCertificate, TextAndJson) {
  NetworkCertificate certificate;
  certificate.rows = 2;
  certificate.messages.resize(1);
  NetworkCertificate::Messages& kind = certificate.messages[0];
  kind.layer = 1;
  kind.factor = "activation";
  kind.to = "sum";
  kind.sent = kind.compared = 4;
  kind.marginal_kl = {4, 0.5, std::numeric_limits<double>::infinity(),
                      std::numeric_limits<double>::infinity()};
  EXPECT_NE(to_text(certificate).find("0.5 / inf / inf"), std::string::npos);
  EXPECT_NE(to_json(certificate).find("\"largest\": null"), std::string::npos);
  EXPECT_NE(to_text(certificate).find("\n  no inconsistency found in 4 messages\n"),
            std::string::npos);
  for (std::size_t NetworkCertificate::Messages::*const count :
       {&NetworkCertificate::Messages::violations, &NetworkCertificate::Messages::inconsistent,
        &NetworkCertificate::Messages::improper}) {
    kind.*count = 1;
    EXPECT_FALSE(certificate.passed());
    EXPECT_NE(to_text(certificate).find("\n  INCONSISTENT: 1 of 4 messages\n"), std::string::npos);
    kind.*count = 0;
  }
  kind.violations = 1;
  EXPECT_NE(to_text(certificate).find("1 VIOLATIONS"), std::string::npos);
}

}  // namespace
}  // namespace postrider::network
