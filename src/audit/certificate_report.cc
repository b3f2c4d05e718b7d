// How the certificate of a network looks: a table for people, JSON for programs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "postrider/network/audit.h"

namespace postrider::network {
using namespace internal;
namespace {

using nlohmann::json;

constexpr double kRounding = 1e-9;  // below this a KL by quadrature is not to be trusted

std::string number(double value) {
  if (std::abs(value) < kRounding) return "<1e-9";
  return std::isfinite(value) ? fmt::format("{:.2g}", value) : "inf";
}

std::string ends_text(const NetworkCertificate::Spread& spread) {
  if (spread.count == 0) return "-";
  return fmt::format("{} / {}", number(spread.median), number(spread.largest));
}

std::string spread_text(const NetworkCertificate::Spread& spread) {
  if (spread.count == 0) return "-";
  return fmt::format("{} / {} / {}", number(spread.median), number(spread.high),
                     number(spread.largest));
}

std::string kind_text(const NetworkCertificate::Messages& kind) {
  return fmt::format("{} -> {}", kind.factor, kind.to);
}

std::string ratio_text(const NetworkCertificate::Messages& kind) {
  return kind.bound.count > 0 ? fmt::format("{:.2f}", kind.largest_ratio) : "-";
}

std::vector<std::string> event_parts(const NetworkCertificate::Messages& kind) {
  std::vector<std::string> parts;
  for (std::size_t i = 1; i < graph::kEventCount; ++i)
    if (kind.events[i] > 0)
      parts.push_back(
          fmt::format("{} {}", kind.events[i], to_string(static_cast<graph::Event>(i))));
  if (kind.silent > 0) parts.push_back(fmt::format("{} silent", kind.silent));
  if (kind.improper > 0) parts.push_back(fmt::format("{} IMPROPER", kind.improper));
  if (kind.inconsistent > 0) parts.push_back(fmt::format("{} INCONSISTENT", kind.inconsistent));
  if (kind.violations > 0) parts.push_back(fmt::format("{} VIOLATIONS", kind.violations));
  return parts;
}

constexpr const char* kRow = "  {:>5}  {:<21}{:>7}{:>10}{:>9}  {:<19}{:<19}{:<27}{:>5}  {}";

std::string trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string row_text(const NetworkCertificate::Messages& kind) {
  return trimmed(fmt::format(fmt::runtime(kRow), kind.layer, kind_text(kind), kind.sent,
                             kind.compared, kind.outside(), ends_text(kind.message_kl),
                             ends_text(kind.bound), spread_text(kind.marginal_kl), ratio_text(kind),
                             fmt::join(event_parts(kind), ", ")));
}

// Kinds of which all messages are exact need no row, unless something happened to them.
bool needs_row(const NetworkCertificate::Messages& kind) {
  return kind.exact < kind.sent || !event_parts(kind).empty();
}

std::string rows_text(const NetworkCertificate& certificate) {
  std::string out;
  std::size_t exact = 0;
  for (const NetworkCertificate::Messages& kind : certificate.messages) {
    exact += kind.exact;
    if (needs_row(kind)) out += row_text(kind);
  }
  return out + fmt::format(
                   "\n  another {} messages are exact by their form: sums, and products with "
                   "a known factor\n",
                   exact);
}

// What was looked for and what was found: no praise, since good messages can make a bad model.
std::string verdict_text(const NetworkCertificate& certificate) {
  const std::string found =
      certificate.passed()
          ? fmt::format("no inconsistency found in {} messages", certificate.compared())
          : fmt::format("INCONSISTENT: {} of {} messages", certificate.inconsistent(),
                        certificate.compared());
  return fmt::format(
      "\n  {}\n  beliefs are at most {} nats from the exact ones because of one message; the limit "
      "is {}\n  how good the predictions are, only rows that were held out can tell\n",
      found, number(certificate.largest_belief_kl()), number(certificate.kl_limit));
}

json number_json(double value) { return std::isfinite(value) ? json(value) : json(); }

json spread_json(const NetworkCertificate::Spread& spread) {
  if (spread.count == 0) return {{"count", 0}};
  return {{"count", spread.count},
          {"median", number_json(spread.median)},
          {"percentile_95", number_json(spread.high)},
          {"largest", number_json(spread.largest)}};
}

json kind_json(const NetworkCertificate::Messages& kind) {
  json events = json::object();
  for (std::size_t i = 1; i < graph::kEventCount; ++i)
    events[std::string(to_string(static_cast<graph::Event>(i)))] = kind.events[i];
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
          {"inconsistent", kind.inconsistent},
          {"largest_ratio", number_json(kind.largest_ratio)},
          {"violations", kind.violations},
          {"improper", kind.improper},
          {"events", events}};
}

}  // namespace

std::string to_text(const NetworkCertificate& certificate) {
  std::string out = fmt::format("{} weights, rule {}, {} rows\n\n", certificate.weights,
                                to_string(certificate.rule), certificate.rows);
  out += trimmed(fmt::format(fmt::runtime(kRow), "", "", "", "", "", "message KL", "bound",
                             "marginal KL", "", ""));
  out += trimmed(fmt::format(fmt::runtime(kRow), "layer", "message", "sent", "compared", "outside",
                             "median / largest", "median / largest", "median / 95 % / largest",
                             "ratio", "guards"));
  out += rows_text(certificate);
  const NetworkCertificate::Guards& guards = certificate.guards;
  out += fmt::format(
      "  training engine, {} rows, {} activations: {} linearised, {} silent, {} guarded\n",
      guards.rows, guards.activations, guards.linearised, guards.silent, guards.guarded);
  return out + verdict_text(certificate);
}

std::string to_json(const NetworkCertificate& certificate) {
  json kinds = json::array();
  for (const NetworkCertificate::Messages& kind : certificate.messages)
    kinds.push_back(kind_json(kind));
  const NetworkCertificate::Guards& guards = certificate.guards;
  const json out{{"passed", certificate.passed()},
                 {"compared", certificate.compared()},
                 {"inconsistent", certificate.inconsistent()},
                 {"largest_belief_kl", number_json(certificate.largest_belief_kl())},
                 {"kl_limit", certificate.kl_limit},
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

}  // namespace postrider::network
