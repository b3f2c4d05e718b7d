// How the certificate of a network looks: a table for people, JSON for programs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "postrider/audit.h"

namespace postrider {
namespace {

using nlohmann::json;

std::string number(double value) {
  if (value == 0) return "0";
  return std::isfinite(value) ? fmt::format("{:.1e}", value) : "inf";
}

// "median / 95 % / largest"
std::string spread_text(const Spread& spread) {
  if (spread.count == 0) return "-";
  return fmt::format("{} / {} / {}", number(spread.median), number(spread.high),
                     number(spread.largest));
}

std::string kind_text(const MessageAudit& kind) {
  return fmt::format("{} -> {}", kind.factor, kind.to);
}

std::string ratio_text(const MessageAudit& kind) {
  return kind.bound.count > 0 ? fmt::format("{:.2f}", kind.largest_ratio) : "-";
}

std::vector<std::string> event_parts(const MessageAudit& kind) {
  std::vector<std::string> parts;
  for (std::size_t i = 1; i < kEventCount; ++i)
    if (kind.events[i] > 0)
      parts.push_back(fmt::format("{} {}", kind.events[i], to_string(static_cast<Event>(i))));
  if (kind.silent > 0) parts.push_back(fmt::format("{} silent", kind.silent));
  if (kind.improper > 0) parts.push_back(fmt::format("{} IMPROPER", kind.improper));
  if (kind.violations > 0) parts.push_back(fmt::format("{} VIOLATIONS", kind.violations));
  return parts;
}

std::string row_text(const MessageAudit& kind) {
  const std::vector<std::string> parts = event_parts(kind);
  return fmt::format("  {:>5}  {:<21}{:>8}{:>8}{:>9}{:>9}  {:<27}{:<27}{:<27}{:>5}  {}\n",
                     kind.layer, kind_text(kind), kind.sent, kind.exact, kind.compared,
                     kind.outside(), spread_text(kind.message_kl), spread_text(kind.bound),
                     spread_text(kind.marginal_kl), ratio_text(kind),
                     parts.empty() ? "" : fmt::format("{}", fmt::join(parts, ", ")));
}

json number_json(double value) { return std::isfinite(value) ? json(value) : json(); }

json spread_json(const Spread& spread) {
  if (spread.count == 0) return {{"count", 0}};
  return {{"count", spread.count},
          {"median", number_json(spread.median)},
          {"percentile_95", number_json(spread.high)},
          {"largest", number_json(spread.largest)}};
}

json kind_json(const MessageAudit& kind) {
  json events = json::object();
  for (std::size_t i = 1; i < kEventCount; ++i)
    events[std::string(to_string(static_cast<Event>(i)))] = kind.events[i];
  events["silent"] = kind.silent;
  return {{"layer", kind.layer},
          {"factor", kind.factor},
          {"to", kind.to},
          {"direction", to_string(kind.direction)},
          {"rule", to_string(kind.rule)},
          {"sent", kind.sent},
          {"exact", kind.exact},
          {"compared", kind.compared},
          {"outside_theorem",
           {{"infinite_mass", kind.infinite_mass},
            {"infinite_kl", kind.infinite_kl},
            {"nothing_came_in", kind.nothing_came_in}}},
          {"concentrated", kind.concentrated},
          {"message_kl", spread_json(kind.message_kl)},
          {"bound", spread_json(kind.bound)},
          {"marginal_kl", spread_json(kind.marginal_kl)},
          {"largest_ratio", number_json(kind.largest_ratio)},
          {"violations", kind.violations},
          {"improper", kind.improper},
          {"events", events}};
}

}  // namespace

std::string to_text(const NetworkCertificate& certificate) {
  std::string out =
      fmt::format("{} weights, rule {}, {} rows; KL in nats: median / 95 % / largest\n\n",
                  certificate.weights, to_string(certificate.rule), certificate.rows);
  out += fmt::format("  {:>5}  {:<21}{:>8}{:>8}{:>9}{:>9}  {:<27}{:<27}{:<27}{:>5}  {}\n", "layer",
                     "message", "sent", "exact", "compared", "outside", "message KL", "bound",
                     "marginal KL", "ratio", "guards");
  for (const MessageAudit& kind : certificate.messages) out += row_text(kind);
  const SweepGuards& guards = certificate.guards;
  out += fmt::format(
      "\n  training engine, {} rows, {} activations: {} linearised, {} silent, {} guarded\n",
      guards.rows, guards.activations, guards.linearised, guards.silent, guards.guarded);
  out += certificate.passed() ? "\n  certified\n" : "\n  NOT certified\n";
  return out;
}

std::string to_json(const NetworkCertificate& certificate) {
  json kinds = json::array();
  for (const MessageAudit& kind : certificate.messages) kinds.push_back(kind_json(kind));
  const SweepGuards& guards = certificate.guards;
  const json out{{"certified", certificate.passed()},
                 {"weights", certificate.weights},
                 {"rule", to_string(certificate.rule)},
                 {"rows", certificate.rows},
                 {"messages", kinds},
                 {"guards",
                  {{"rows", guards.rows},
                   {"activations", guards.activations},
                   {"linearised", guards.linearised},
                   {"silent", guards.silent},
                   {"guarded", guards.guarded}}}};
  return out.dump(2) + "\n";
}

}  // namespace postrider
