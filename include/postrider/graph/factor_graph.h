// Factor graphs: variables, factors, schedules, marginals and evidence.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "postrider/export.h"
#include "postrider/gaussian.h"
#include "postrider/graph/factor.h"

namespace postrider::internal {
class GraphState;
}  // namespace postrider::internal

namespace postrider::graph {

// A variable or a factor of one graph: a number, to be passed by value.
struct Variable {
  std::uint32_t index;
  friend bool operator==(Variable, Variable) = default;
};
struct FactorNode {
  std::uint32_t index;
  friend bool operator==(FactorNode, FactorNode) = default;
};

// What to do with a message of negative precision, or one that contradicts what is known. The
// library's factors send no such message; a user's factor, or two observations, may.
enum class ImproperPolicy {
  refuse,  // throw, naming factor and variable
  skip,    // keep the message that was there
  damp,    // go half the way, and half of that, until the message is proper; else skip
};

// What happened during a run.
struct Record {
  std::size_t messages = 0;
  bool converged = false;
  // Per pass or sweep (residual: per message), the largest change of a message: of its precision, as a share of the belief's, and
  // of its mean times precision, in units of the belief's standard deviation.
  std::vector<double> change;
  std::array<std::size_t, kEventCount> events{};
  std::size_t improper = 0, skipped = 0, damped = 0;
  std::vector<std::string> improper_edges;  // the first few, as "factor -> variable"
};

// In which order messages are sent, and when to stop.
struct POSTRIDER_EXPORT Schedule {
  enum class Kind {
    tree,      // leaves to root and back; refuses a graph with a loop. Once, and exact for exact
               // factors; with conditioned rules repeated, like sweeps, until nothing changes
    sweeps,    // all factors forwards, then backwards, until the largest change is below tolerance
    residual,  // the message that would change most, first
  };

  Kind kind = Kind::tree;
  std::size_t limit = 100;   // passes or sweeps; for residual, messages per edge
  double tolerance = 1e-10;  // see Record::change
  double damping = 0;        // share of the old message that is kept, in natural parameters
  // After every pass or sweep (residual: whenever as many messages as there are edges were sent);
  // false ends the run, with the messages as they are.
  std::function<bool(const Record&)> progress = {};
  // For sweeps over plates whose rows share no free variable; 0: as many as there are cores. Results are the same to the bit.
  unsigned threads = 1;

  static Schedule tree() { return {}; }
  static Schedule sweeps(std::size_t limit = 100, double tolerance = 1e-10, double damping = 0) {
    return {Kind::sweeps, limit, tolerance, damping};
  }
  static Schedule residual(std::size_t limit = 100, double tolerance = 1e-10, double damping = 0) {
    return {Kind::residual, limit, tolerance, damping};
  }

  void validate() const;  // throws InvalidArgument
};

class POSTRIDER_EXPORT FactorGraph {
 public:
  FactorGraph();
  ~FactorGraph();
  FactorGraph(FactorGraph&&) noexcept;
  FactorGraph& operator=(FactorGraph&&) noexcept;

  // Variables start without information. A name is for messages and pictures only.
  Variable add_variable(std::string name = {});
  // `count` variables with consecutive numbers; returns the first.
  Variable add_variables(std::size_t count);

  // One factor between variables, in the order of its edges.
  FactorNode add_factor(std::shared_ptr<const Factor> factor, std::span<const Variable> variables);
  // A plate: the same factor once per row, without an object for each. `variables` holds the rows
  // one after the other. Returns the factor of the first row; the others follow.
  FactorNode add_plate(std::shared_ptr<const Factor> factor, std::span<const Variable> variables);

  // Takes out all factors that were added by the call that added this one. Numbers of other factors stay, and factor_count() and
  // edge_count() count the places that remain empty.
  void remove(FactorNode factor);

  // What is known of a variable apart from its factors. An observation is a point mass.
  void set_prior(Variable variable, const Gaussian& prior);
  void observe(Variable variable, double value);
  // Takes an observation out again: the prior from before it is back.
  void forget(Variable variable);

  // For all factors of the plate that this one belongs to.
  void set_rule(FactorNode factor, std::size_t edge, Rule rule);
  void set_policy(FactorNode factor, ImproperPolicy policy);

  // Sends messages in the order of the schedule, starting from those that were sent before.
  Record run(const Schedule& schedule = {});
  // After a run on a tree: sends only what follows from the priors, observations and factors that
  // changed since, and no further than messages change by more than the tolerance. A graph with a
  // loop is refused; with conditioned rules it is a run.
  Record update(double tolerance = 0);
  // One message, for a schedule of one's own. What happened is added to the record.
  void send(FactorNode factor, std::size_t edge);
  void send(FactorNode factor, std::size_t edge, Record& record);
  // From all rows of the plate that this factor belongs to, to one edge: the same as `send` for one
  // row after the other, only faster.
  void send_plate(FactorNode factor, std::size_t edge);
  void send_plate(FactorNode factor, std::size_t edge, Record& record);

  // Multiplies the messages to a variable into its prior and clears them: assumed-density filtering.
  void absorb(Variable variable);
  // Clears all messages.
  void reset();

  Gaussian marginal(Variable variable) const;
  // The message that a factor last sent.
  Gaussian message(FactorNode factor, std::size_t edge) const;
  // What the variable of the edge tells the factor: all that is known of it but that message.
  Gaussian incoming(FactorNode factor, std::size_t edge) const;
  // Exact on trees of exact factors after a run, else Bethe's approximation. Absent if a rule has no
  // scale or a variable has neither prior nor message; minus infinity if observations exclude each
  // other.
  std::optional<double> log_evidence() const;

  std::size_t variable_count() const;
  std::size_t factor_count() const;
  std::size_t edge_count() const;
  std::size_t memory_bytes() const;

  // The graph in Graphviz's language, with mean and standard deviation at the variables.
  std::string to_graphviz() const;

 private:
  std::unique_ptr<internal::GraphState> state_;
};

}  // namespace postrider::graph
