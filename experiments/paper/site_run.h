// One network trained with its negative precisions counted: what happened in each epoch.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "site_network.h"
#include "trained.h"

namespace postrider::experiments {

struct SiteMethod {
  std::string name;
  SiteOptions options;
  // Whether training ends where a message does not exist.
  SiteNetwork::AtUndefined at_undefined = SiteNetwork::AtUndefined::go_on;
};

// The paper's two rules and expectation propagation under each policy; `plain` is it without one.
std::vector<SiteMethod> site_methods();

// Where plain expectation propagation could not go on.
struct Failure {
  std::size_t epoch, example;  // from 1, and from 0
  Undefined why;
};

struct SiteRun {
  std::vector<SiteCounts> epochs;
  std::vector<double> curve;  // training score after each whole epoch
  Outcome outcome;            // where the paper's rule stops, or after the last epoch
  std::optional<Failure> failure = {};
};
SiteRun run_sites(const NetworkTask& task, const Problem& problem, const SiteMethod& method,
                  std::size_t epochs);

}  // namespace postrider::experiments
