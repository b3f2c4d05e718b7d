// Certificates: checks of any factor, the library's or a user's, by calculation. They compare many
// messages, and prove nothing about those they did not try.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "postrider/export.h"
#include "postrider/graph/factor.h"

namespace postrider::graph {

struct POSTRIDER_EXPORT CertifyOptions {
  std::uint64_t seed = 1;
  std::size_t configurations = 40;    // random messages for each comparison with quadrature
  std::size_t evaluations = 200'000;  // random messages for properness, per edge and rule
  double exactness_tolerance = 1e-9;  // relative

  void validate() const;  // throws InvalidArgument
};

// The messages that came in where something went wrong, in the order of the edges; empty if nothing
// did. For the exactness it is the worst case, right or wrong.
using Incoming = std::vector<Gaussian>;

// 1. Exactness: the promised moments against adaptive quadrature.
struct Exactness {
  std::size_t compared = 0;
  std::size_t guarded = 0;  // configurations in which a guard fired: nothing is promised there
  double worst_moment_error = 0;  // of the mean, in max(|mean|, std), and of the variance
  double worst_log_scale_error = 0;
  Incoming worst_moment_case = {}, worst_log_scale_case = {};
};

// 2. Consistency: as the messages of the other edges concentrate with standard deviation e, the message tends
// to the factor itself at their points. `distance` is the 2-Wasserstein distance between the two
// (of their means and standard deviations), `marginal_kl` the KL divergence of the resulting marginal from the
// exact one. The paper's condition asks for the first to vanish; the second may fall faster, or not
// at all where the incoming message of the edge itself is wrong and the rule looks at it.
struct Decay {
  std::vector<double> error;
  std::optional<double> rate;  // error ~ e^rate; absent where every error is already rounding
};
struct Consistency {
  std::vector<double> std;
  Decay distance, marginal_kl;
  Incoming last_case = {};  // that of the smallest standard deviation
};

// 3. Properness: random messages of all states and sizes.
struct Properness {
  std::size_t evaluations = 0, negative_precisions = 0, nans = 0;
  std::array<std::size_t, kEventCount> events{};
  Incoming first_negative = {}, first_nan = {};
};

// 4. The master theorem: KL of the marginal <= ||incoming||_inf/Z KL of the message.
struct MasterTheorem {
  std::size_t configurations = 0, violations = 0;
  double max_ratio = 0;
  Incoming first_violation = {};
};

struct EdgeCertificate {
  std::string edge;
  RuleInfo rule;
  std::optional<Exactness> exactness;
  std::optional<Consistency> consistency;
  Properness properness;
  std::optional<MasterTheorem> master_theorem;
  std::vector<std::string> failures;  // empty: no check failed
};

struct POSTRIDER_EXPORT Certificate {
  std::string factor, formula;
  std::vector<EdgeCertificate> edges;

  bool passed() const;           // no check failed
  std::size_t messages() const;  // tried in all
};

// Quadrature runs over at most two other variables: factors of more edges are refused.
POSTRIDER_EXPORT Certificate certify(const Factor& factor, const CertifyOptions& options = {});

// A table for people, and the same as JSON.
POSTRIDER_EXPORT std::string to_text(const Certificate& certificate);
POSTRIDER_EXPORT std::string to_json(const Certificate& certificate);

}  // namespace postrider::graph
