// The arrays behind a factor graph, and the one way to send a message.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "factor/words.h"
#include "postrider/graph/factor_graph.h"

namespace postrider::internal {

using Index = std::uint32_t;
inline constexpr Index kNone = std::numeric_limits<Index>::max();
inline constexpr std::size_t kNamedEdges = 10;  // in Record::improper_edges

// Factors of one kind, one per row; the edges of a row are consecutive.
struct Plate {
  std::shared_ptr<const Factor> factor;
  Index first_factor, first_edge, arity;
  Index rows;  // 0 if it was removed
  std::size_t rows_per_call;
  std::vector<Rule> rules;  // per edge
  graph::ImproperPolicy policy = graph::ImproperPolicy::refuse;
};

// The arrays of an Outbox (outbox.h). They stay with the graph, so that sending allocates nothing.
struct OutboxRoom {
  struct Waiting {
    Index edge;
    bool own_changed;  // a row before it sends to the same variable
  };
  std::vector<Waiting> waiting;
  std::vector<Gaussian> incoming, messages;
  std::vector<Event> events;
  // Per variable, the last round with a message to it. Should the number ever come round again, rows
  // go earlier than they must.
  std::vector<Index> addressed;
  Index round = 0;
};

class GraphState {
 public:
  Index add_variables(std::size_t count);
  Index add_plate(std::shared_ptr<const Factor> factor, std::span<const graph::Variable> variables);
  // Its edges leave their variables' lists and say nothing; it has no rows any more.
  void remove_plate(Index factor);
  void set_prior(Index variable, const Gaussian& prior);
  void clear_messages();
  void absorb(Index variable);

  std::size_t variable_count() const { return prior_.size(); }
  std::size_t factor_count() const { return plate_of_.size(); }
  std::size_t edge_count() const { return variable_of_.size(); }
  std::size_t memory_bytes() const;

  bool is_observed(Index variable) const { return prior_[variable].is_point_mass(); }
  const Gaussian& prior(Index variable) const { return prior_[variable]; }
  const Gaussian& belief(Index variable) const { return belief_[variable]; }
  const Gaussian& message(Index edge) const { return message_[edge]; }
  Index variable_of(Index edge) const { return variable_of_[edge]; }
  Index factor_of(Index edge) const { return factor_of_[edge]; }
  std::span<const Plate> plates() const { return plates_; }
  Index first_edge_of_variable(Index variable) const { return first_edge_[variable]; }
  Index next_edge(Index edge) const { return next_edge_[edge]; }
  bool is_removed(Index factor) const { return plate(factor).rows == 0; }
  Plate& plate(Index factor) { return plates_[plate_of_[factor]]; }
  const Plate& plate(Index factor) const { return plates_[plate_of_[factor]]; }
  Index first_edge_of_factor(Index factor) const {
    const Plate& at = plate(factor);
    return at.first_edge + (factor - at.first_factor) * at.arity;
  }

  // What the variable of this edge tells its factor: everything but what the factor told it.
  Gaussian to_factor(Index edge) const;
  // The message that would go along this edge now; `incoming` is room for what the factor hears.
  Reply propose(Index edge, std::vector<Gaussian>& incoming) const;
  // Sends it, damped, under the plate's policy; returns the change.
  double send(Index edge, double damping, graph::Record& record);
  // The second half of it: stores a message that the factor sent. `own` is what its variable tells
  // the factor.
  double store(Index edge, const Gaussian& own, const Gaussian& message, Event event,
               double damping, graph::Record& record);
  // How far `message` is from the one last sent along the edge; see Record::change.
  double change(Index edge, const Gaussian& message) const;

  // Whether a message to an edge also depends on what comes in there, so that one pass of a tree is
  // not enough.
  bool has_conditioned_rule() const;
  // Set once the graph was found to have no loop, until factors are added or observations taken out.
  bool is_known_tree() const { return known_tree_; }
  void set_known_tree() { known_tree_ = true; }

  // Variables whose prior changed, or that got a factor, since the last run.
  const std::vector<Index>& out_of_date() const { return out_of_date_; }
  void mark_all_up_to_date();
  OutboxRoom& outbox_room() { return outbox_room_; }

  std::string variable_name(Index variable) const;
  std::string edge_name(Index edge) const;  // "factor -> variable"

  std::unordered_map<Index, std::string> names;
  std::unordered_map<Index, Gaussian> before_observation;

 private:
  Gaussian multiply_all(Index variable, Index but) const;
  // The message to store instead of an improper one, or none to keep what is there.
  std::optional<Gaussian> settle(Index edge, const Gaussian& own, const Gaussian& improper,
                                 graph::Record& record) const;

  std::vector<Gaussian> prior_, belief_;                    // per variable
  std::vector<Index> first_edge_, degree_;                  // per variable
  std::vector<Index> variable_of_, next_edge_, factor_of_;  // per edge
  std::vector<Gaussian> message_;                           // per edge, from the factor
  std::vector<Index> plate_of_;                             // per factor
  std::vector<Plate> plates_;
  void mark_out_of_date(Index variable);

  std::vector<Index> out_of_date_;
  std::vector<bool> is_out_of_date_;  // per variable: each is listed once
  bool known_tree_ = false;
  std::vector<Gaussian> incoming_;  // of the factor that sends
  OutboxRoom outbox_room_;
};

// --- schedules (schedule.cc) and evidence (evidence.cc) ------------------------------------------

graph::Record run_tree(GraphState& state, const graph::Schedule& schedule);
graph::Record run_sweeps(GraphState& state, const graph::Schedule& schedule);
graph::Record run_residual(GraphState& state, const graph::Schedule& schedule);
graph::Record run_update(GraphState& state, double tolerance);
std::optional<double> log_evidence(const GraphState& state);
std::string to_graphviz(const GraphState& state);

}  // namespace postrider::internal
