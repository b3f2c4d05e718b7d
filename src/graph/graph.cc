#include "factor/scalar.h"
#include "graph/outbox.h"
#include "graph/state.h"
#include "postrider/error.h"
#include "postrider/graph/factor_graph.h"

namespace postrider::graph {
using namespace internal;
namespace {

Index checked(const GraphState& state, Variable variable) {
  if (variable.index >= state.variable_count())
    reject("variable", variable.index, "is not a variable of this graph");
  return variable.index;
}

Index checked(const GraphState& state, FactorNode factor) {
  if (factor.index >= state.factor_count())
    reject("factor", factor.index, "is not a factor of this graph");
  if (state.is_removed(factor.index)) reject("factor", factor.index, "was removed");
  return factor.index;
}

Index checked_edge(const GraphState& state, FactorNode factor, std::size_t edge) {
  const Index index = checked(state, factor);
  const Plate& plate = state.plate(index);
  if (edge >= plate.arity) reject_edge(plate.factor->info(), edge);
  return state.first_edge_of_factor(index) + static_cast<Index>(edge);
}

}  // namespace

void Schedule::validate() const {
  if (limit == 0) reject("limit", limit, "must be at least 1");
  if (!(tolerance >= 0)) reject("tolerance", tolerance, "must be at least 0");
  if (!(damping >= 0 && damping < 1)) reject("damping", damping, "must be at least 0 and below 1");
  if (kind == Kind::tree && damping != 0)
    reject("damping", damping, "must be 0 for the tree schedule, which sends once");
  constexpr unsigned kMostThreads = 1024;
  if (threads > kMostThreads) reject("threads", threads, "must be at most 1024");
}

FactorGraph::FactorGraph() : state_(std::make_unique<GraphState>()) {}
FactorGraph::~FactorGraph() = default;
FactorGraph::FactorGraph(FactorGraph&&) noexcept = default;
FactorGraph& FactorGraph::operator=(FactorGraph&&) noexcept = default;

Variable FactorGraph::add_variable(std::string name) {
  const Variable added = add_variables(1);
  if (!name.empty()) state_->names[added.index] = std::move(name);
  return added;
}

Variable FactorGraph::add_variables(std::size_t count) { return {state_->add_variables(count)}; }

FactorNode FactorGraph::add_factor(std::shared_ptr<const Factor> factor,
                                   std::span<const Variable> variables) {
  if (!factor) throw InvalidArgument("add_factor: no factor");
  if (variables.size() != factor->info().edges.size())
    reject(factor->info().name + ".variables", variables.size(),
           "must be one per edge; add_plate takes several rows");
  return add_plate(std::move(factor), variables);
}

FactorNode FactorGraph::add_plate(std::shared_ptr<const Factor> factor,
                                  std::span<const Variable> variables) {
  if (!factor) throw InvalidArgument("add_plate: no factor");
  return {state_->add_plate(std::move(factor), variables)};
}

void FactorGraph::remove(FactorNode factor) { state_->remove_plate(checked(*state_, factor)); }

void FactorGraph::set_prior(Variable variable, const Gaussian& prior) {
  if (prior.state() == Gaussian::State::improper)
    reject("prior", to_string(prior), "must not be improper");
  state_->set_prior(checked(*state_, variable), prior);
}

void FactorGraph::observe(Variable variable, double value) {
  const Index index = checked(*state_, variable);
  if (!state_->is_observed(index)) state_->before_observation[index] = state_->prior(index);
  state_->set_prior(index, Gaussian::point_mass(value));
}

void FactorGraph::forget(Variable variable) {
  const auto found = state_->before_observation.find(checked(*state_, variable));
  if (found == state_->before_observation.end())
    reject("variable", state_->variable_name(variable.index), "was not observed");
  const Gaussian prior = found->second;
  state_->before_observation.erase(found);
  state_->set_prior(variable.index, prior);
}

void FactorGraph::set_rule(FactorNode factor, std::size_t edge, Rule rule) {
  checked_edge(*state_, factor, edge);
  Plate& plate = state_->plate(factor.index);
  plate.factor->info().find(edge, rule);
  plate.rules[edge] = rule;
}

void FactorGraph::set_policy(FactorNode factor, ImproperPolicy policy) {
  state_->plate(checked(*state_, factor)).policy = policy;
}

Record FactorGraph::run(const Schedule& schedule) {
  schedule.validate();
  const auto run_kind = [&] {
    switch (schedule.kind) {
      case Schedule::Kind::sweeps:
        return run_sweeps(*state_, schedule);
      case Schedule::Kind::residual:
        return run_residual(*state_, schedule);
      case Schedule::Kind::tree:
        break;
    }
    return run_tree(*state_, schedule);
  };
  Record record = run_kind();
  state_->mark_all_up_to_date();
  return record;
}

Record FactorGraph::update(double tolerance) {
  if (!(tolerance >= 0)) reject("tolerance", tolerance, "must be at least 0");
  Record record = run_update(*state_, tolerance);
  state_->mark_all_up_to_date();
  return record;
}

void FactorGraph::send(FactorNode factor, std::size_t edge) {
  Record record;
  send(factor, edge, record);
}

void FactorGraph::send(FactorNode factor, std::size_t edge, Record& record) {
  state_->send(checked_edge(*state_, factor, edge), 0, record);
}

void FactorGraph::send_plate(FactorNode factor, std::size_t edge) {
  Record record;
  send_plate(factor, edge, record);
}

void FactorGraph::send_plate(FactorNode factor, std::size_t edge, Record& record) {
  checked_edge(*state_, factor, edge);
  const Plate& plate = state_->plate(factor.index);
  Outbox outbox(*state_, 0, record);
  for (Index row = 0; row < plate.rows; ++row)
    outbox.send(plate.first_edge + row * plate.arity + static_cast<Index>(edge));
  outbox.finish();
}

void FactorGraph::absorb(Variable variable) { state_->absorb(checked(*state_, variable)); }
void FactorGraph::reset() { state_->clear_messages(); }

Gaussian FactorGraph::marginal(Variable variable) const {
  return state_->belief(checked(*state_, variable));
}

Gaussian FactorGraph::message(FactorNode factor, std::size_t edge) const {
  return state_->message(checked_edge(*state_, factor, edge));
}

Gaussian FactorGraph::incoming(FactorNode factor, std::size_t edge) const {
  return state_->to_factor(checked_edge(*state_, factor, edge));
}

std::optional<double> FactorGraph::log_evidence() const { return internal::log_evidence(*state_); }

std::size_t FactorGraph::variable_count() const { return state_->variable_count(); }
std::size_t FactorGraph::factor_count() const { return state_->factor_count(); }
std::size_t FactorGraph::edge_count() const { return state_->edge_count(); }
std::size_t FactorGraph::memory_bytes() const { return state_->memory_bytes(); }
std::string FactorGraph::to_graphviz() const { return internal::to_graphviz(*state_); }

}  // namespace postrider::graph
