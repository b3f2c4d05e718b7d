// One row of data swept through a network's factor graph, with all messages to be looked at.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "audit/comparison.h"
#include "network/network_graph.h"
#include "postrider/network/audit.h"
#include "sweep/input_rows.h"
#include "sweep/observation.h"

namespace postrider::internal {

// The messages from one plate of factors to one of their edges. A sum sends backwards to many edges
// that are all alike: `edge` is then the first of them, `edges` their number.
struct MessageKind {
  std::size_t layer;  // from 0
  std::string factor_name, to;
  network::NetworkCertificate::Direction direction;
  std::shared_ptr<const Factor> factor;
  Rule rule;
  std::size_t edge, edges;
  // Plates that send such messages: products with an input and those with a bias, for example.
  struct Plate {
    graph::FactorNode first;
    std::size_t rows;
  };
  std::vector<Plate> plates;

  std::size_t messages_per_row() const;
};

class RowSweeper {
 public:
  // The targets must outlive it.
  RowSweeper(const network::Network& network, const Examples& rows, network::Likelihood likelihood,
             std::span<const double> noise_variance);
  std::size_t rows() const { return prepared_.size(); }

  const std::vector<MessageKind>& kinds() const { return kinds_; }
  bool has_target(std::size_t row) const;

  // Forwards and backwards, as if the row were learned next.
  void sweep(std::size_t row);

  // After a sweep, for each message of the kind: what was heard, and what was sent with its event.
  using Visit = std::function<void(const SentMessage&, Event)>;
  void visit(const MessageKind& kind, const Visit& visit) const;

 private:
  void list_kinds(const network::NetworkOptions& options);
  // What the row's targets say of the outputs.
  std::vector<Gaussian> said(std::size_t row, const std::vector<Gaussian>& outputs) const;

  std::span<const double> targets_;
  StoredInputs<double> prepared_;
  std::size_t inputs_, targets_per_row_;
  NetworkGraph graph_;
  std::vector<double> noise_;
  std::unique_ptr<Observation<double>> observation_;  // null where the noise is Gaussian
  std::vector<MessageKind> kinds_;
};

}  // namespace postrider::internal
