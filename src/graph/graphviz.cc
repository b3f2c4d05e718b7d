#include <fmt/format.h>

#include "graph/state.h"

namespace postrider::internal {
namespace {

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string belief_label(const Gaussian& belief) {
  if (belief.is_uniform()) return "?";
  if (belief.is_point_mass()) return fmt::format("= {:.4g}", belief.mean());
  return fmt::format("{:.4g} ± {:.2g}", belief.mean(), belief.std());
}

}  // namespace

std::string to_graphviz(const GraphState& state) {
  std::string out = "graph factors {\n  node [fontname=\"sans-serif\"];\n";
  for (Index v = 0; v < state.variable_count(); ++v)
    out +=
        fmt::format("  v{} [label=\"{}\\n{}\"{}];\n", v, escaped(state.variable_name(v)),
                    belief_label(state.belief(v)), state.is_observed(v) ? ", peripheries=2" : "");
  for (Index f = 0; f < state.factor_count(); ++f) {
    if (state.is_removed(f)) continue;
    const FactorInfo& info = state.plate(f).factor->info();
    out += fmt::format(
        "  f{} [label=\"{}\", shape=box, style=filled, fillcolor=black, fontcolor=white];\n", f,
        escaped(info.name));
    const Index first = state.first_edge_of_factor(f);
    for (Index k = 0; k < state.plate(f).arity; ++k)
      out += fmt::format("  f{} -- v{} [label=\"{}\"];\n", f, state.variable_of(first + k),
                         escaped(info.edges[k].name));
  }
  return out + "}\n";
}

}  // namespace postrider::internal
