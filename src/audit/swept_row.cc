#include "audit/swept_row.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "network/network_state.h"
#include "postrider/error.h"
#include "sweep/workspace.h"
#include "train/targets.h"

namespace postrider::internal {
namespace {

std::shared_ptr<const Factor> sum_of(std::size_t terms) {
  return graph::make_factor("linear", {{"weights", std::vector<double>(terms, 1.0)}});
}

MessageKind make_kind(std::size_t layer, std::string name, std::string to,
                      network::NetworkCertificate::Direction direction,
                      const std::shared_ptr<const Factor>& factor, Rule wanted, std::size_t edge,
                      std::vector<MessageKind::Plate> plates) {
  const Rule rule = factor->info().rule_or_default(edge, wanted);
  return {layer, std::move(name),  std::move(to), direction, factor, rule, edge,
          1,     std::move(plates)};
}

}  // namespace

std::size_t MessageKind::messages_per_row() const {
  std::size_t rows = 0;
  for (const Plate& plate : plates) rows += plate.rows;
  return rows * edges;
}

RowSweeper::RowSweeper(const network::Network& network, const Examples& rows,
                       network::Likelihood likelihood, std::span<const double> noise_variance)
    : targets_(rows.targets),
      inputs_(network.options().inputs),
      graph_(network.options(), 1, NetworkGraph::Copies::everywhere) {
  const std::size_t outputs = network.options().outputs();
  const std::unique_ptr<Targets<double>> targets = make_targets<double>(likelihood, outputs);
  targets_per_row_ = targets->per_row();
  noise_ = targets->first_noise({noise_variance.begin(), noise_variance.end()});
  for (const double noise : noise_)
    if (!(noise > 0 && std::isfinite(noise)))
      reject("noise_variance", noise, "must be a number above 0");
  prepared_ = prepared_rows<double>(rows.inputs, inputs_);
  targets->load(rows.targets, prepared_.size());
  observation_ = targets->observation();
  for (std::size_t k = 0; k < network.weight_count(); ++k) graph_.set_weight(k, network.weight(k));
  list_kinds(network.options());
}

void RowSweeper::list_kinds(const network::NetworkOptions& options) {
  const std::shared_ptr<const Factor> product = graph::make_factor("product");
  const std::vector<SweepLayer> shape = sweep_layers(options);
  for (std::size_t l = 0; l < graph_.layers().size(); ++l) {
    const NetworkGraph::Layer& layer = graph_.layers()[l];
    const auto add = [&](const char* name, const char* to,
                         network::NetworkCertificate::Direction direction,
                         const std::shared_ptr<const Factor>& factor, std::size_t edge,
                         std::vector<MessageKind::Plate> plates) {
      kinds_.push_back(
          make_kind(l, name, to, direction, factor, options.rule, edge, std::move(plates)));
    };
    const MessageKind::Plate weights{layer.products, layer.units * layer.inputs};
    std::vector<MessageKind::Plate> products{weights};
    if (layer.has_bias) products.push_back({layer.biases, layer.units});
    // All sums are exact: partial ones are not listed apart.
    const std::shared_ptr<const Factor> sum = sum_of(layer.groups > 0 ? layer.groups : layer.terms);
    const MessageKind::Plate sums{layer.sums, layer.units};

    add("product", "term", network::NetworkCertificate::Direction::forward, product, 0, products);
    add("sum", "sum", network::NetworkCertificate::Direction::forward, sum, 0, {sums});
    std::shared_ptr<const Factor> activation;
    const MessageKind::Plate rectifiers{layer.rectifiers, layer.units};
    if (layer.has_rectifiers) {
      activation = graph::make_factor("leaky_relu", {{"slope", {shape[l].slope}}});
      add("activation", "output", network::NetworkCertificate::Direction::forward, activation, 0,
          {rectifiers});
      add("activation", "sum", network::NetworkCertificate::Direction::backward, activation, 1,
          {rectifiers});
    }
    add("sum", "term", network::NetworkCertificate::Direction::backward, sum, 1, {sums});
    kinds_.back().edges = sum->info().edges.size() - 1;
    add("product", "weight", network::NetworkCertificate::Direction::backward, product, 1,
        products);
    if (l > 0)
      add("product", "input", network::NetworkCertificate::Direction::backward, product, 2,
          {weights});
  }
}

bool RowSweeper::has_target(std::size_t row) const {
  const std::span<const double> targets =
      targets_.subspan(row * targets_per_row_, targets_per_row_);
  return std::ranges::any_of(targets, [](double y) { return !std::isnan(y); });
}

std::vector<Gaussian> RowSweeper::said(std::size_t row,
                                       const std::vector<Gaussian>& outputs) const {
  const std::span<const double> targets =
      targets_.subspan(row * targets_per_row_, targets_per_row_);
  std::vector<Gaussian> out;
  if (!observation_) {
    for (std::size_t o = 0; o < outputs.size(); ++o)
      out.push_back(std::isnan(targets[o]) ? Gaussian::uniform()
                                           : Gaussian::from_moments(targets[o], noise_[o]));
    return out;
  }
  std::vector<double> mean, variance, shift(outputs.size()), spread(shift), least(shift);
  for (const Gaussian& output : outputs) {
    mean.push_back(output.mean());
    variance.push_back(output.variance());
  }
  SweepRecord record;
  observation_->observe({mean, variance, targets, noise_}, {shift, spread, least}, record);
  for (std::size_t o = 0; o < outputs.size(); ++o)
    out.push_back(least[o] < kVague ? Gaussian::from_moments(mean[o] + shift[o], least[o])
                                    : Gaussian::uniform());
  return out;
}

void RowSweeper::sweep(std::size_t row) {
  std::vector<Gaussian> inputs(inputs_, Gaussian::from_moments(0, 0));
  const InputRow<double> one = prepared_.row(row);
  for (std::size_t k = 0; k < one.columns.size(); ++k)
    inputs[one.columns[k]] = Gaussian::from_moments(one.means[k], one.variance(k));
  graph_.hear(said(row, graph_.predict(inputs)));
}

void RowSweeper::visit(const MessageKind& kind, const Visit& visit) const {
  SentMessage message;
  const std::size_t arity = kind.factor->info().edges.size();
  for (const MessageKind::Plate& plate : kind.plates)
    for (std::size_t r = 0; r < plate.rows; ++r) {
      const graph::FactorNode node{plate.first.index + static_cast<std::uint32_t>(r)};
      message.incoming.clear();
      for (std::size_t e = 0; e < arity; ++e)
        message.incoming.push_back(graph_.graph().incoming(node, e));
      for (std::size_t e = kind.edge; e < kind.edge + kind.edges; ++e) {
        message.sent = graph_.graph().message(node, e);
        visit(message, kind.factor->send(e, kind.rule, message.incoming).event);
      }
    }
}

}  // namespace postrider::internal
