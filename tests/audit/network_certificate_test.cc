#include <gtest/gtest.h>

#include <chrono>
#include <iostream>

#include "audit/problem.h"

namespace postrider {
namespace {
TEST(NetworkCertificate, Print) {
  const AuditProblem problem = audit_problem(300, 1);
  for (const Rule rule : {Rule::conditioned, Rule::direct}) {
    NetworkOptions options = NetworkOptions::dense(3, {16, 16});
    options.rule = rule;
    const AuditedNetwork model = trained(options, problem);
    const auto start = std::chrono::steady_clock::now();
    const NetworkCertificate found = certify_network(
        model.network,
        {{problem.inputs}, problem.targets, Likelihood::gaussian, model.noise_variance});
    std::cout << to_text(found)
              << std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()
              << " s\n";
    for (const InputInfluence& i : input_influence(model.network))
      std::cout << i.slope << " +- " << i.deviation << " " << i.strength << " " << i.nats << "\n";
  }
}
}  // namespace
}  // namespace postrider
