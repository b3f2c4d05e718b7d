// Small networks that have learned something, for audits.
#pragma once

#include <cmath>
#include <vector>

#include "base/random.h"
#include "postrider/network/audit.h"
#include "postrider/network/network.h"
#include "postrider/network/trainer.h"

namespace postrider::network {
using namespace internal;

struct AuditProblem {
  std::vector<double> inputs, targets;
};

// y = sin(2 x_0) + x_1/4 + noise of deviation 0.2, and an x_2 that does not matter: all about N(0, 1).
inline AuditProblem audit_problem(std::size_t rows, std::uint64_t seed) {
  RandomStream random(seed, 0);
  AuditProblem out;
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t j = 0; j < 3; ++j) out.inputs.push_back(random.normal());
    const double* const x = &out.inputs[3 * r];
    out.targets.push_back(std::sin(2 * x[0]) + 0.25 * x[1] + 0.2 * random.normal());
  }
  return out;
}

struct AuditedNetwork {
  Network network;
  std::vector<double> noise_variance;
};

inline AuditedNetwork trained(const NetworkOptions& options, const AuditProblem& problem,
                              Likelihood likelihood = Likelihood::gaussian) {
  AuditedNetwork out{Network(options), {}};
  TrainerOptions training;
  training.max_epochs = 15;
  Trainer trainer(out.network, training, {likelihood});
  trainer.fit({problem.inputs}, problem.targets);
  out.noise_variance = trainer.noise_variance();
  return out;
}

}  // namespace postrider::network
