// Factors: what a model is made of, and what a user's own factor implements.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "postrider/export.h"
#include "postrider/gaussian.h"

namespace postrider::graph {

// How a factor forms a message where the exact one is not Gaussian.
enum class Rule {
  exact,        // the sum-product message itself
  direct,       // from the messages of the other edges alone
  conditioned,  // also looks at the message that comes in on the same edge
};

// What a message promises, and the certifier checks.
enum class Claim {
  exact,           // it is the sum-product message
  moments,         // it has the mean and variance of the (normalised) sum-product message
  tilted_moments,  // times the incoming message of its edge, it has the mean and variance of the
                   // sum-product message times that incoming message, unless a guard fired
  approximate,     // the concentration consistency condition only
};

// Something that happened in the numbers while a message was formed. Nothing is clamped in silence:
// each event has a name and is counted by whoever asked for the message.
enum class Event {
  none,
  linearised,    // the tilted precision was not positive; the statistically linearised factor was
                 // used
  vanished,      // the precision fell below the normal numbers; the message is uniform
  overflowed,    // a moment rose above the finite numbers; the message is uniform
  contradicted,  // the incoming messages exclude each other; the message is uniform
  held,          // the tilted belief is wider than the incoming message; the least precision was
                 // sent, with the mean that keeps the tilted mean
};
inline constexpr std::size_t kEventCount = 6;

POSTRIDER_EXPORT std::string_view to_string(Rule rule);
POSTRIDER_EXPORT std::string_view to_string(Claim claim);
POSTRIDER_EXPORT std::string_view to_string(Event event);

struct RuleInfo {
  Rule rule;
  Claim claim;
  bool has_log_scale;  // see Reply
};

struct EdgeInfo {
  std::string name;
  std::vector<RuleInfo> rules;     // the first is the default
  bool exact_may_be_improper;      // whether the sum-product message may have infinite mass
  std::vector<double> kinks = {};  // where the factor is not smooth in this variable
};

// A density f(x_0, ..., x_n), or the deterministic relation x_0 = g(x_1, ..., x_n).
enum class FactorKind { density, deterministic };

struct POSTRIDER_EXPORT FactorInfo {
  std::string name;
  std::string formula;
  FactorKind kind;
  std::vector<EdgeInfo> edges;

  // The rule `wanted` if this edge has it, else the edge's default.
  Rule rule_or_default(std::size_t edge, Rule wanted) const;
  // Throws InvalidArgument, naming the edges and rules that exist.
  const RuleInfo& find(std::size_t edge, Rule rule) const;
};

// A message and how it came about. Incoming and outgoing messages are densities in the sense of
// Gaussian (N, the constant 1, a Dirac delta); the factor's own message is exp(log_scale) times
// that density, so that evidences can be summed from log scales.
struct Reply {
  Gaussian message;
  std::optional<double> log_scale = {};
  Event event = Event::none;
};

// Where the messages of many rows go, one element per row. Either of the last two may be empty,
// and then need not be computed.
struct Replies {
  std::span<Gaussian> messages;
  std::span<Event> events = {};
  std::span<double> log_scales = {};  // NaN where there is none
};

class POSTRIDER_EXPORT Factor {
 public:
  virtual ~Factor() = default;

  virtual const FactorInfo& info() const = 0;

  // The message to `edge`. `incoming` holds one message per edge, in the order of info().edges; the
  // one at `edge` itself is read by conditioned rules only.
  virtual Reply send(std::size_t edge, Rule rule, std::span<const Gaussian> incoming) const = 0;

  // The same for many rows at once: `incoming` holds one message per edge and row, row by row. This
  // calls send() for each row; a factor that can do better overrides it, with the same results.
  virtual void send_many(std::size_t edge, Rule rule, std::span<const Gaussian> incoming,
                         const Replies& replies) const;
  // Incoming messages that a graph gives to one such call; a plate with more goes in several. Few
  // stay in the innermost cache; a factor whose calls are dear, as into another language, asks for
  // more.
  virtual std::size_t messages_per_call() const { return 512; }
  // Whether several threads may ask for messages at once.
  virtual bool may_run_on_threads() const { return false; }

  // What the factor is, for certificates and tests. A density returns log f(values), one value per
  // edge; a deterministic factor returns g(values), one value per edge but the first.
  virtual double evaluate(std::span<const double> values) const = 0;

  // Where the factor is not smooth in the variable of `edge`, the others held at `values` (one per
  // edge; NaN where not held). Only needed where that depends on the others, as in max(x, y).
  virtual std::vector<double> kinks(std::size_t edge, std::span<const double> /*values*/) const {
    return info().edges[edge].kinks;
  }
};

// A named setting of a factor, such as {"slope", {0.1}}.
struct Parameter {
  std::string name;
  std::vector<double> values;
};

// A factor of the library by its name. Throws InvalidArgument, listing what exists, if there is no
// such factor or parameter.
POSTRIDER_EXPORT std::unique_ptr<Factor> make_factor(std::string_view name,
                                                     std::vector<Parameter> parameters = {});
POSTRIDER_EXPORT std::vector<std::string> factor_names();

// y = g(x) for any function of the user's, with messages by quadrature. Edges: y, x.
// `kinks` are the points where g is not smooth: naming them keeps the quadrature exact.
POSTRIDER_EXPORT std::unique_ptr<Factor> make_deterministic(std::string name,
                                                            std::function<double(double)> g,
                                                            std::vector<double> kinks = {});

// y = g(x_1, ..., x_k) of two or three inputs that are named, smooth in all of them. Edges: y and the inputs.
POSTRIDER_EXPORT std::unique_ptr<Factor> make_deterministic(
    std::string name, std::function<double(std::span<const double>)> g,
    std::vector<std::string> inputs);

// A density of one to three edges by its logarithm, with messages by quadrature. `values` holds, point by point, one number for each
// edge; `out` takes log f of each point, -infinity where f is 0. It is asked for many points at once.
using LogDensityAtPoints =
    std::function<void(std::span<const double> values, std::span<double> out)>;
POSTRIDER_EXPORT std::unique_ptr<Factor> make_density(std::string name,
                                                      std::vector<std::string> edges,
                                                      LogDensityAtPoints log_density);

}  // namespace postrider::graph
