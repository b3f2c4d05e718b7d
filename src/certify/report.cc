// How a certificate looks: a table for people, JSON for programs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "postrider/graph/certify.h"

namespace postrider::graph {
namespace {

using nlohmann::json;

constexpr double kStandsStill = 0.3;  // a rate below this is no decay

std::string exactness_text(const EdgeCertificate& edge) {
  if (!edge.exactness) return "-";
  if (edge.exactness->compared == 0) return "guarded";
  return fmt::format("{:.1e}", edge.exactness->worst_moment_error);
}

// "e^2.00", "exact", or the level at which an error stays.
std::string decay_text(const Decay& decay) {
  if (decay.error.empty()) return "-";
  if (!decay.rate) return "exact";
  if (*decay.rate < kStandsStill) return fmt::format("-> {:.1e}", decay.error.back());
  return fmt::format("e^{:.2f}", *decay.rate);
}

std::string distance_text(const EdgeCertificate& edge) {
  return edge.consistency ? decay_text(edge.consistency->distance) : "-";
}

std::string marginal_text(const EdgeCertificate& edge) {
  return edge.consistency ? decay_text(edge.consistency->marginal_kl) : "-";
}

std::string properness_text(const EdgeCertificate& edge) {
  const Properness& p = edge.properness;
  return fmt::format("{} neg, {} NaN", p.negative_precisions, p.nans);
}

std::string master_text(const EdgeCertificate& edge) {
  if (!edge.master_theorem) return "-";
  if (edge.master_theorem->configurations == 0) return "exact";
  return fmt::format("{:.3f}", edge.master_theorem->max_ratio);
}

std::string events_text(const EdgeCertificate& edge) {
  std::vector<std::string> parts;
  for (std::size_t i = 1; i < kEventCount; ++i)
    if (edge.properness.events[i] > 0)
      parts.push_back(
          fmt::format("{} {}", edge.properness.events[i], to_string(static_cast<Event>(i))));
  return parts.empty() ? "none" : fmt::format("{}", fmt::join(parts, ", "));
}

template <class T>
json optional_json(const std::optional<T>& value, json (*write)(const T&)) {
  return value ? write(*value) : json();
}

json write_exactness(const Exactness& e) {
  return {{"compared", e.compared},
          {"guarded", e.guarded},
          {"worst_moment_error", e.worst_moment_error},
          {"worst_log_scale_error", e.worst_log_scale_error}};
}

json write_decay(const Decay& decay) {
  return {{"error", decay.error}, {"rate", decay.rate ? json(*decay.rate) : json()}};
}

json write_consistency(const Consistency& c) {
  return {{"std", c.std},
          {"distance", write_decay(c.distance)},
          {"marginal_kl", write_decay(c.marginal_kl)}};
}

json write_master(const MasterTheorem& m) {
  return {{"configurations", m.configurations},
          {"violations", m.violations},
          {"max_ratio", m.max_ratio}};
}

json write_properness(const Properness& p) {
  json events = json::object();
  for (std::size_t i = 1; i < kEventCount; ++i)
    events[std::string(to_string(static_cast<Event>(i)))] = p.events[i];
  return {{"evaluations", p.evaluations},
          {"negative_precisions", p.negative_precisions},
          {"nans", p.nans},
          {"events", events}};
}

// Checks are no proof: so many messages were tried.
std::string verdict_text(const Certificate& certificate) {
  std::size_t failures = 0;
  for (const EdgeCertificate& edge : certificate.edges) failures += edge.failures.size();
  if (failures == 0)
    return fmt::format("\n  no inconsistency found in {} messages\n", certificate.messages());
  return fmt::format("\n  INCONSISTENT: {} of the checks failed, in {} messages\n", failures,
                     certificate.messages());
}

}  // namespace

std::string to_text(const Certificate& certificate) {
  std::string out = fmt::format("{}: {}\n\n", certificate.factor, certificate.formula);
  out += fmt::format("  {:<4}{:<13}{:<16}{:>8} {:>9} {:>10} {:>14} {:>7}  {}\n", "to", "rule",
                     "claim", "error", "distance", "KL", "properness", "master", "events");
  for (const EdgeCertificate& edge : certificate.edges) {
    out += fmt::format("  {:<4}{:<13}{:<16}{:>8} {:>9} {:>10} {:>14} {:>7}  {}\n", edge.edge,
                       to_string(edge.rule.rule), to_string(edge.rule.claim), exactness_text(edge),
                       distance_text(edge), marginal_text(edge), properness_text(edge),
                       master_text(edge), events_text(edge));
    for (const std::string& failure : edge.failures)
      out += fmt::format("      FAILED: {}\n", failure);
  }
  return out + verdict_text(certificate);
}

std::string to_json(const Certificate& certificate) {
  json edges = json::array();
  for (const EdgeCertificate& edge : certificate.edges)
    edges.push_back({{"edge", edge.edge},
                     {"rule", to_string(edge.rule.rule)},
                     {"claim", to_string(edge.rule.claim)},
                     {"exactness", optional_json(edge.exactness, write_exactness)},
                     {"consistency", optional_json(edge.consistency, write_consistency)},
                     {"properness", write_properness(edge.properness)},
                     {"master_theorem", optional_json(edge.master_theorem, write_master)},
                     {"failures", edge.failures}});
  const json out{{"factor", certificate.factor},
                 {"formula", certificate.formula},
                 {"passed", certificate.passed()},
                 {"messages", certificate.messages()},
                 {"edges", edges}};
  return out.dump(2) + "\n";
}

}  // namespace postrider::graph
