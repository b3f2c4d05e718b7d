#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "io/output.h"
#include "postrider/error.h"
#include "text/model_facts.h"
#include "text/text_table.h"

namespace postrider::cli {
namespace {

constexpr std::size_t kMostWeights = 200;  // more would be a black square

std::string factor_node(const std::string& id, const char* name) {
  return fmt::format(
      "    {} [label=\"{}\", shape=box, style=filled, fillcolor=black, fontcolor=white];\n", id,
      name);
}

// A layer as plates: what stands inside is there once for each unit, and products once for each
// weight.
std::string layer_plate(const network::Layer& layer, std::size_t l, std::size_t inputs,
                        const std::string& below) {
  const std::size_t terms = inputs + (layer.bias ? 1 : 0);
  std::string out = fmt::format(
      "  subgraph cluster_units{0} {{\n    label=\"layer {0}: {1} units\"; style=rounded;\n"
      "    subgraph cluster_weights{0} {{\n    label=\"{2} inputs{3}\"; style=rounded;\n"
      "    w{0} [label=\"weight\"];\n    z{0} [label=\"term\"];\n{4}    }}\n"
      "    s{0} [label=\"sum\"];\n{5}",
      l, layer.units, inputs, layer.bias ? " and a bias" : "",
      factor_node(fmt::format("product{}", l), "product"),
      factor_node(fmt::format("linear{}", l), "linear"));
  const bool is_linear = layer.activation == network::Activation::identity;
  if (!is_linear)
    out += fmt::format("    x{0} [label=\"output\"];\n{1}", l,
                       factor_node(fmt::format("relu{}", l), "leaky_relu"));
  out += "  }\n";
  out += fmt::format(
      "  {1} -- product{0};\n  w{0} -- product{0} [label=\"{2} in all\"];\n"
      "  product{0} -- z{0};\n  z{0} -- linear{0};\n  linear{0} -- s{0};\n",
      l, below, terms * layer.units);
  if (!is_linear) out += fmt::format("  s{0} -- relu{0};\n  relu{0} -- x{0};\n", l);
  return out;
}

std::string plates(const TableModel& model, const network::Network& network) {
  const network::NetworkOptions& options = network.options();
  std::string out = fmt::format(
      "graph factors {{\n  rankdir=LR;\n  node [fontname=\"sans-serif\"];\n"
      "  graph [fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\", fontsize=10];\n"
      "  inputs [label=\"{} inputs\", peripheries=2];\n",
      options.inputs);
  std::string below = "inputs";
  std::size_t inputs = options.inputs;
  for (std::size_t l = 1; l <= options.layers.size(); ++l) {
    const network::Layer& layer = options.layers[l - 1];
    out += layer_plate(layer, l, inputs, below);
    below = fmt::format("{}{}", layer.activation == network::Activation::identity ? "s" : "x", l);
    inputs = layer.units;
  }
  const bool varies = !model.classifies() && model.regressor()->options().varying_noise;
  const char* likelihood = model.classifies() ? "choice" : varies ? "varying noise" : "noise";
  std::string target;
  for (const char c : model.target())
    target += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  out += factor_node("likelihood", likelihood) +
         fmt::format(
             "  target [label=\"{}\", peripheries=2];\n  {} -- likelihood;\n"
             "  likelihood -- target;\n}}\n",
             target, below);
  return out;
}

}  // namespace

ExitCode graph(const GraphRequest& request) {
  const TableModel model = TableModel::load(request.model);
  const std::size_t members = members_of(model);
  if (request.member == 0 || request.member > members)
    reject("--member", request.member, fmt::format("must be from 1 to {}", members));
  expect_writable({"--output", request.output, {request.model}, request.force},
                  text_kind("a graph", {"graph factors {"}));
  const network::Network& network = network_of(model, request.member - 1);
  if (request.full && network.weight_count() > kMostWeights)
    throw InvalidArgument(
        fmt::format("--full: can be drawn up to {} weights, and the network has {}; without --full "
                    "layers are drawn as plates",
                    kMostWeights, network.weight_count()));
  Output output(request.output);
  output.stream() << (request.full ? to_graphviz(network) : plates(model, network));
  output.finish();
  return ExitCode::ok;
}

}  // namespace postrider::cli
