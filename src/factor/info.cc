#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "factor/scalar.h"
#include "factor/words.h"
#include "postrider/error.h"

namespace postrider::graph {
using namespace internal;

std::string_view to_string(Rule rule) {
  static constexpr std::array<std::string_view, 3> kNames{"exact", "direct", "conditioned"};
  return kNames[static_cast<std::size_t>(rule)];
}

std::string_view to_string(Claim claim) {
  static constexpr std::array<std::string_view, 4> kNames{"exact", "moments", "tilted moments",
                                                          "approximate"};
  return kNames[static_cast<std::size_t>(claim)];
}

std::string_view to_string(Event event) {
  static constexpr std::array<std::string_view, kEventCount> kNames{
      "none", "linearised", "vanished", "overflowed", "contradicted", "held"};
  return kNames[static_cast<std::size_t>(event)];
}

Rule FactorInfo::rule_or_default(std::size_t edge, Rule wanted) const {
  const std::vector<RuleInfo>& rules = edges.at(edge).rules;
  for (const RuleInfo& candidate : rules)
    if (candidate.rule == wanted) return wanted;
  return rules.front().rule;
}

}  // namespace postrider::graph

namespace postrider::internal {

void reject_edge(const FactorInfo& info, std::size_t edge) {
  std::vector<std::string> names;
  for (const EdgeInfo& known : info.edges) names.push_back(known.name);
  throw InvalidArgument(
      fmt::format("{}: no edge {}; there are: {}", info.name, edge, fmt::join(names, ", ")));
}

}  // namespace postrider::internal

namespace postrider::graph {

const RuleInfo& FactorInfo::find(std::size_t edge, Rule rule) const {
  if (edge >= edges.size()) reject_edge(*this, edge);
  std::vector<std::string_view> known;
  for (const RuleInfo& candidate : edges[edge].rules) {
    if (candidate.rule == rule) return candidate;
    known.push_back(to_string(candidate.rule));
  }
  throw InvalidArgument(fmt::format(
      "{}: no rule '{}' towards edge {}{}; use {}", name, to_string(rule), edges[edge].name,
      edges[edge].exact_may_be_improper ? ", where the exact message may have infinite mass" : "",
      fmt::join(known, " or ")));
}

}  // namespace postrider::graph

namespace postrider::internal {

void expect_one_per_edge(const FactorInfo& info, std::span<const Gaussian> incoming) {
  if (incoming.size() == info.edges.size()) return;
  reject(info.name + ".incoming", fmt::format("{} messages", incoming.size()),
         fmt::format("must hold one message per edge, {} in all", info.edges.size()));
}

}  // namespace postrider::internal
