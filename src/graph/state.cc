#include "graph/state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "factor/scalar.h"
#include "message/rounding.h"
#include "postrider/error.h"

namespace postrider::internal {
namespace {

// Up to so many edges a variable's message is multiplied up anew, which is exact. Beyond, the
// belief is divided, which costs the digits by which the divided message dominates.
constexpr Index kFewEdges = 8;
constexpr int kHalvings = 20;  // of a damped improper message

namespace lanes = HWY_NAMESPACE;

template <class T>
std::size_t bytes(const std::vector<T>& v) {
  return v.capacity() * sizeof(T);
}

bool contradict(const Gaussian& a, const Gaussian& b) {
  return a.is_point_mass() && b.is_point_mass() && a.mean() != b.mean();
}

// `own` is what the variable tells the factor: what the message will be multiplied with.
bool is_acceptable(const Gaussian& own, const Gaussian& message) {
  return message.state() != Gaussian::State::improper && !contradict(message, own);
}

// The message that keeps a share of the old one. A point mass cannot be mixed: the new one counts.
Gaussian mixed(const Gaussian& old, const Gaussian& fresh, double share) {
  if (share == 0 || fresh.is_point_mass() || old.is_point_mass()) return fresh;
  const double tau = share * old.tau() + (1 - share) * fresh.tau();
  const double rho = share * old.rho() + (1 - share) * fresh.rho();
  return rho == 0 ? Gaussian::uniform() : Gaussian::from_natural(tau, rho);
}

}  // namespace

Index GraphState::add_variables(std::size_t count) {
  const auto first = static_cast<Index>(prior_.size());
  prior_.resize(first + count);
  belief_.resize(first + count);
  first_edge_.resize(first + count, kNone);
  degree_.resize(first + count, 0);
  return first;
}

Index GraphState::add_plate(std::shared_ptr<const Factor> factor,
                            std::span<const graph::Variable> variables) {
  const FactorInfo& info = factor->info();
  const std::size_t arity = info.edges.size();
  if (variables.empty() || variables.size() % arity != 0)
    reject(info.name + ".variables", variables.size(),
           fmt::format("must be a multiple of the factor's {} edges", arity));
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (variables[i].index >= variable_count())
      reject(info.name + ".variables", variables[i].index, "is not a variable of this graph");
    for (std::size_t j = i - i % arity; j < i; ++j)
      if (variables[i] == variables[j])
        reject(info.name + ".variables", variable_name(variables[i].index),
               "stands at two edges of one factor; messages would treat them as independent");
  }

  const std::size_t rows_per_call = factor->messages_per_call() / arity;  // 0 and 1: one by one
  Plate plate{std::move(factor),
              static_cast<Index>(factor_count()),
              static_cast<Index>(edge_count()),
              static_cast<Index>(arity),
              static_cast<Index>(variables.size() / arity),
              rows_per_call,
              {}};
  for (const EdgeInfo& edge : info.edges) plate.rules.push_back(edge.rules.front().rule);
  const Index first_factor = plate.first_factor;
  plate_of_.resize(plate_of_.size() + plate.rows, static_cast<Index>(plates_.size()));
  plates_.push_back(std::move(plate));

  for (std::size_t i = 0; i < variables.size(); ++i) {
    const auto edge = static_cast<Index>(variable_of_.size());
    const Index variable = variables[i].index;
    variable_of_.push_back(variable);
    factor_of_.push_back(first_factor + static_cast<Index>(i / arity));
    message_.emplace_back();
    next_edge_.push_back(first_edge_[variable]);
    first_edge_[variable] = edge;
    ++degree_[variable];
    mark_out_of_date(variable);
  }
  known_tree_ = false;
  return first_factor;
}

void GraphState::remove_plate(Index factor) {
  Plate& removed = plate(factor);
  const Index first = removed.first_edge, end = first + removed.rows * removed.arity;
  std::vector<Index> variables(variable_of_.begin() + first, variable_of_.begin() + end);
  std::ranges::sort(variables);
  variables.erase(std::unique(variables.begin(), variables.end()), variables.end());
  removed.rows = 0;
  std::fill(message_.begin() + first, message_.begin() + end, Gaussian::uniform());
  for (const Index variable : variables) {
    for (Index* link = &first_edge_[variable]; *link != kNone;) {
      if (*link < first || *link >= end) {
        link = &next_edge_[*link];
      } else {
        *link = next_edge_[*link];
        --degree_[variable];
      }
    }
    belief_[variable] = multiply_all(variable, kNone);
    mark_out_of_date(variable);
  }
}

void GraphState::set_prior(Index variable, const Gaussian& prior) {
  if (is_observed(variable) && !prior.is_point_mass()) known_tree_ = false;
  prior_[variable] = prior;
  belief_[variable] = multiply_all(variable, kNone);
  mark_out_of_date(variable);
}

void GraphState::mark_out_of_date(Index variable) {
  is_out_of_date_.resize(variable_count());
  if (is_out_of_date_[variable]) return;
  is_out_of_date_[variable] = true;
  out_of_date_.push_back(variable);
}

void GraphState::mark_all_up_to_date() {
  for (const Index variable : out_of_date_) is_out_of_date_[variable] = false;
  out_of_date_.clear();
}

void GraphState::clear_messages() {
  std::fill(message_.begin(), message_.end(), Gaussian::uniform());
  belief_ = prior_;
}

void GraphState::absorb(Index variable) {
  prior_[variable] = belief_[variable];
  for (Index e = first_edge_[variable]; e != kNone; e = next_edge_[e])
    message_[e] = Gaussian::uniform();
}

std::size_t GraphState::memory_bytes() const {
  return bytes(prior_) + bytes(belief_) + bytes(first_edge_) + bytes(degree_) +
         bytes(variable_of_) + bytes(next_edge_) + bytes(factor_of_) + bytes(message_) +
         bytes(plate_of_) + bytes(plates_) + bytes(out_of_date_) + bytes(outbox_room_.waiting) +
         bytes(outbox_room_.incoming) + bytes(outbox_room_.messages) + bytes(outbox_room_.events) +
         bytes(outbox_room_.addressed);
}

Gaussian GraphState::multiply_all(Index variable, Index but) const {
  if (prior_[variable].is_point_mass()) return prior_[variable];
  lanes::Message<double> out = natural(prior_[variable]);
  for (Index e = first_edge_[variable]; e != kNone; e = next_edge_[e])
    if (e != but) out = lanes::product(out, natural(message_[e]));
  return gaussian_of(out);
}

Gaussian GraphState::to_factor(Index edge) const {
  const Index variable = variable_of_[edge];
  // An observation stays what it is, and where no other factor speaks there is nothing to multiply.
  if (is_observed(variable) || degree_[variable] == 1) return prior_[variable];
  const bool divisible = !belief_[variable].is_point_mass() && !message_[edge].is_point_mass();
  if (degree_[variable] > kFewEdges && divisible) return belief_[variable] / message_[edge];
  return multiply_all(variable, edge);
}

bool GraphState::has_conditioned_rule() const {
  return std::any_of(plates_.begin(), plates_.end(), [](const Plate& plate) {
    return plate.rows > 0 && std::find(plate.rules.begin(), plate.rules.end(), Rule::conditioned) !=
                                 plate.rules.end();
  });
}

Reply GraphState::propose(Index edge, std::vector<Gaussian>& incoming) const {
  const Index factor = factor_of_[edge];
  const Plate& at = plate(factor);
  const Index first = first_edge_of_factor(factor);
  incoming.resize(at.arity);
  for (Index k = 0; k < at.arity; ++k) incoming[k] = to_factor(first + k);
  return at.factor->send(edge - first, at.rules[edge - first], incoming);
}

std::optional<Gaussian> GraphState::settle(Index edge, const Gaussian& own,
                                           const Gaussian& improper, graph::Record& record) const {
  ++record.improper;
  if (record.improper_edges.size() < kNamedEdges) record.improper_edges.push_back(edge_name(edge));
  const graph::ImproperPolicy policy = plate(factor_of_[edge]).policy;
  if (policy == graph::ImproperPolicy::refuse)
    throw Error(fmt::format(
        "{}: the message {} cannot be used; with set_policy, skip or damp go on without it",
        edge_name(edge), to_string(improper)));
  if (policy == graph::ImproperPolicy::damp)
    for (double share = 0.5; share < 1 - std::pow(0.5, kHalvings); share = 0.5 * (1 + share)) {
      const Gaussian damped = mixed(message_[edge], improper, share);
      if (!is_acceptable(own, damped)) continue;
      ++record.damped;
      return damped;
    }
  ++record.skipped;
  return {};
}

double GraphState::change(Index edge, const Gaussian& message) const {
  const Gaussian& old = message_[edge];
  if (old == message) return 0;
  if (message.is_point_mass() || old.is_point_mass())
    return std::numeric_limits<double>::infinity();
  const Gaussian& belief = belief_[variable_of_[edge]];
  const double rho = std::max({belief.rho(), message.rho(), old.rho()});
  if (belief.is_point_mass()) return 0;
  return std::max(std::abs(message.rho() - old.rho()) / rho,
                  std::abs(message.tau() - old.tau()) / std::sqrt(rho));
}

double GraphState::send(Index edge, double damping, graph::Record& record) {
  const Reply reply = propose(edge, incoming_);
  const Gaussian& own = incoming_[edge - first_edge_of_factor(factor_of_[edge])];
  return store(edge, own, reply.message, reply.event, damping, record);
}

double GraphState::store(Index edge, const Gaussian& own, const Gaussian& message, Event event,
                         double damping, graph::Record& record) {
  ++record.messages;
  ++record.events[static_cast<std::size_t>(event)];
  Gaussian fresh = mixed(message_[edge], message, damping);
  if (is_rounding(fresh, own)) fresh = Gaussian::uniform();
  if (!is_acceptable(own, fresh)) {
    const std::optional<Gaussian> settled = settle(edge, own, fresh, record);
    if (!settled) return 0;
    fresh = *settled;
  }
  const double moved = change(edge, fresh);
  message_[edge] = fresh;
  belief_[variable_of_[edge]] = own * fresh;
  return moved;
}

std::string GraphState::variable_name(Index variable) const {
  const auto found = names.find(variable);
  return found == names.end() ? fmt::format("x{}", variable) : found->second;
}

std::string GraphState::edge_name(Index edge) const {
  const Index factor = factor_of_[edge];
  return fmt::format("{}[{}] -> {}", plate(factor).factor->info().name, factor,
                     variable_name(variable_of_[edge]));
}

}  // namespace postrider::internal
