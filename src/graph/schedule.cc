#include <fmt/format.h>

#include <algorithm>
#include <queue>

#include "base/workers.h"
#include "graph/outbox.h"
#include "graph/plate_pass.h"
#include "graph/state.h"
#include "postrider/error.h"

namespace postrider::internal {
namespace {

// Edges along which messages go, in order.
struct TreeOrder {
  std::vector<Index> towards_roots, away_from_roots;
};

[[noreturn]] void refuse_loop(const GraphState& state, Index edge) {
  throw InvalidArgument(
      fmt::format("schedule tree: the graph has a loop through {}; use the schedule sweeps or "
                  "residual, or observe a variable of the loop",
                  state.edge_name(edge)));
}

// Breadth first from one variable of each component. Observed variables cut the graph: what they
// send does not depend on what they hear.
TreeOrder tree_order(const GraphState& state) {
  TreeOrder out;
  std::vector<Index> found_by(state.variable_count(), kNone);  // the edge a variable was found by
  std::vector<bool> seen(state.variable_count()), factor_seen(state.factor_count());
  std::vector<Index> queue;
  for (Index root = 0; root < state.variable_count(); ++root) {
    if (seen[root] || state.is_observed(root)) continue;
    seen[root] = true;
    queue.assign(1, root);
    for (std::size_t head = 0; head < queue.size(); ++head) {
      const Index variable = queue[head];
      for (Index e = state.first_edge_of_variable(variable); e != kNone; e = state.next_edge(e)) {
        if (e == found_by[variable]) continue;
        const Index factor = state.factor_of(e);
        if (factor_seen[factor]) refuse_loop(state, e);
        factor_seen[factor] = true;
        out.towards_roots.push_back(e);
        const Index first = state.first_edge_of_factor(factor);
        for (Index j = first; j < first + state.plate(factor).arity; ++j) {
          const Index other = state.variable_of(j);
          if (j == e || state.is_observed(other)) continue;
          if (seen[other]) refuse_loop(state, j);
          seen[other] = true;
          found_by[other] = j;
          queue.push_back(other);
          out.away_from_roots.push_back(j);
        }
      }
    }
  }
  std::reverse(out.towards_roots.begin(), out.towards_roots.end());
  return out;
}

// Whether the order of a plate's rows matters to none of its messages: no free variable stands in two
// rows. `last_plate` holds, per variable, one more than the plate in which it was last seen.
bool has_separate_rows(const GraphState& state, std::size_t plate, std::vector<Index>& last_plate) {
  const Plate& at = state.plates()[plate];
  const auto mark = static_cast<Index>(plate + 1);
  for (Index edge = at.first_edge; edge < at.first_edge + at.rows * at.arity; ++edge) {
    const Index variable = state.variable_of(edge);
    if (state.is_observed(variable)) continue;
    if (last_plate[variable] == mark) return false;
    last_plate[variable] = mark;
  }
  return true;
}

// A stretch of a sweep: all rows of a plate to one edge, where rows are separate, else free edges one after the other.
struct Stretch {
  std::size_t plate = 0;
  Index position = 0;
  bool is_separate = false;
  std::vector<Index> edges;
};

// Edges in the order in which they were added, row by row. Only where rows are separate, so that all messages stay the same to the
// bit, all rows send to one edge before the next edge's turn.
std::vector<Stretch> sweep_order(const GraphState& state) {
  std::vector<Stretch> out;
  std::vector<Index> last_plate(state.variable_count(), 0);
  for (std::size_t p = 0; p < state.plates().size(); ++p) {
    const Plate& plate = state.plates()[p];
    if (plate.rows > 1 && has_separate_rows(state, p, last_plate)) {
      for (Index k = 0; k < plate.arity; ++k) out.push_back({p, k, true, {}});
      continue;
    }
    if (out.empty() || out.back().is_separate) out.emplace_back();
    for (Index edge = plate.first_edge; edge < plate.first_edge + plate.rows * plate.arity; ++edge)
      if (!state.is_observed(state.variable_of(edge))) out.back().edges.push_back(edge);
  }
  return out;
}

bool goes_on(const graph::Schedule& schedule, const graph::Record& record) {
  return !schedule.progress || schedule.progress(record);
}

}  // namespace

graph::Record run_tree(GraphState& state, const graph::Schedule& schedule) {
  const TreeOrder order = tree_order(state);
  state.set_known_tree();
  // A conditioned message depends on what comes in at its own edge, which the first pass to the roots
  // does not know yet: passes are repeated until nothing changes. Else one is enough.
  const std::size_t passes = state.has_conditioned_rule() ? schedule.limit : 1;
  graph::Record record;
  Outbox outbox(state, 0, record);
  for (std::size_t pass = 0; pass < passes && !record.converged; ++pass) {
    for (const Index edge : order.towards_roots) outbox.send(edge);
    for (const Index edge : order.away_from_roots) outbox.send(edge);
    const double largest = outbox.finish();
    record.change.push_back(largest);
    record.converged = passes == 1 || largest <= schedule.tolerance;
    if (!goes_on(schedule, record)) break;
  }
  return record;
}

graph::Record run_sweeps(GraphState& state, const graph::Schedule& schedule) {
  const std::vector<Stretch> order = sweep_order(state);
  graph::Record record;
  Workers workers(resolved_threads(schedule.threads));
  Outbox outbox(state, schedule.damping, record);
  PlatePass pass(state, schedule.damping, workers, record);
  const auto send = [&](const Stretch& stretch, bool backwards) {
    if (stretch.is_separate) return pass.send(stretch.plate, stretch.position, backwards);
    if (backwards)
      for (auto edge = stretch.edges.rbegin(); edge != stretch.edges.rend(); ++edge)
        outbox.send(*edge);
    else
      for (const Index edge : stretch.edges) outbox.send(edge);
    return outbox.finish();
  };
  for (std::size_t sweep = 0; sweep < schedule.limit && !record.converged; ++sweep) {
    double largest = 0;
    for (auto at = order.begin(); at != order.end(); ++at)
      largest = std::max(largest, send(*at, false));
    for (auto at = order.rbegin(); at != order.rend(); ++at)
      largest = std::max(largest, send(*at, true));
    record.change.push_back(largest);
    record.converged = largest <= schedule.tolerance;
    if (!goes_on(schedule, record)) break;
  }
  return record;
}

graph::Record run_residual(GraphState& state, const graph::Schedule& schedule) {
  struct Candidate {
    double change;
    Index edge, version;
    bool operator<(const Candidate& other) const { return change < other.change; }
  };
  std::priority_queue<Candidate> queue;
  std::vector<Index> version(state.edge_count(), 0);
  std::vector<Gaussian> incoming;
  const auto consider = [&](Index edge) {
    if (state.is_removed(state.factor_of(edge)) || state.is_observed(state.variable_of(edge)))
      return;
    const double change = state.change(edge, state.propose(edge, incoming).message);
    queue.push({change, edge, ++version[edge]});
  };
  for (Index edge = 0; edge < state.edge_count(); ++edge) consider(edge);

  graph::Record record;
  const std::size_t most = schedule.limit * state.edge_count();
  while (!queue.empty() && record.messages < most) {
    const Candidate next = queue.top();
    queue.pop();
    if (next.version != version[next.edge]) continue;
    record.change.push_back(next.change);
    if (next.change <= schedule.tolerance) break;
    state.send(next.edge, schedule.damping, record);
    if (record.messages % state.edge_count() == 0 && !goes_on(schedule, record)) return record;
    if (schedule.damping > 0) consider(next.edge);
    // What the variable now tells its other factors has changed, and so may what these send.
    const Index variable = state.variable_of(next.edge);
    for (Index e = state.first_edge_of_variable(variable); e != kNone; e = state.next_edge(e)) {
      if (e == next.edge) continue;
      const Index factor = state.factor_of(e), first = state.first_edge_of_factor(factor);
      for (Index j = first; j < first + state.plate(factor).arity; ++j) consider(j);
    }
  }
  record.converged = record.messages < most;
  return record;
}

graph::Record run_update(GraphState& state, double tolerance) {
  if (!state.is_known_tree()) tree_order(state);  // refuses a loop before anything is sent
  state.set_known_tree();
  if (state.has_conditioned_rule()) {
    graph::Schedule schedule;
    schedule.tolerance = std::max(tolerance, schedule.tolerance);
    return run_tree(state, schedule);
  }
  struct Visit {
    Index variable, found_by;
  };
  graph::Record record;
  double largest = 0;
  std::vector<Visit> stack;
  for (const Index changed : state.out_of_date()) {
    // A new factor has said nothing yet, and one of a variable observed until now nothing new.
    if (!state.is_observed(changed))
      for (Index e = state.first_edge_of_variable(changed); e != kNone; e = state.next_edge(e))
        largest = std::max(largest, state.send(e, 0, record));
    stack.assign(1, {changed, kNone});
    while (!stack.empty()) {
      const auto [variable, found_by] = stack.back();
      stack.pop_back();
      for (Index e = state.first_edge_of_variable(variable); e != kNone; e = state.next_edge(e)) {
        if (e == found_by) continue;
        const Index factor = state.factor_of(e), first = state.first_edge_of_factor(factor);
        for (Index j = first; j < first + state.plate(factor).arity; ++j) {
          const Index other = state.variable_of(j);
          if (j == e || state.is_observed(other)) continue;
          const double moved = state.send(j, 0, record);
          largest = std::max(largest, moved);
          if (moved > tolerance) stack.push_back({other, j});
        }
      }
    }
  }
  record.change.push_back(largest);
  record.converged = true;
  return record;
}

}  // namespace postrider::internal
