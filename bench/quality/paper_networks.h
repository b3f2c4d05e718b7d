// The paper's networks, what they are trained on, and how far apart two trained ones are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "experiments/common/network_task.h"
#include "experiments/graph/trainer.h"
#include "postrider/network/trainer.h"

namespace postrider::bench {
using namespace internal;

using Beliefs = std::vector<experiments::WeightBelief>;

inline constexpr std::array kBothRules{graph::Rule::direct, graph::Rule::conditioned};

struct PaperNetwork {
  std::string name;
  experiments::NetworkTask task;
  bool same_means = false;     // the prior's means are those that the true weights scatter around
  bool is_mismatched = false;  // the data come from a wider network
};

// 83 weights with fresh means, with the same means and with a mismatch; 1932 weights.
std::vector<PaperNetwork> paper_networks();
// The first and the last of them.
std::vector<PaperNetwork> fresh_networks();

// What a seed draws: for networks without a mismatch the same as in the experiments.
experiments::Problem draw(const PaperNetwork& network, std::uint64_t seed, std::size_t index);

// With all prior means multiplied by 1 + share.
experiments::Problem nudged(experiments::Problem problem, double share);

struct Rows {
  std::vector<double> inputs, targets;
};
Rows rows_of(std::span<const experiments::Example> examples);

network::Network make_network(const PaperNetwork& network, const experiments::Problem& problem,
                              graph::Rule rule, network::Precision precision);
// The paper's batches, one stored message for each, in the order of the rows; its noise; a fixed
// number of epochs.
TrainerOptions paper_training(const PaperNetwork& network, std::size_t epochs);

Beliefs beliefs_of(const network::Network& network);

// Over all beliefs: of precisions, relative; of tau in units of itself or of the belief's deviation,
// whichever is larger; the larger of the two.
struct Difference {
  double largest = 0, median = 0;
};
Difference difference(std::span<const experiments::WeightBelief> found,
                      std::span<const experiments::WeightBelief> expected);

// The beliefs after the first batch and after each epoch.
struct Course {
  Beliefs batch;
  std::vector<Beliefs> epochs;
};
Course train_by_sweep(const PaperNetwork& network, const experiments::Problem& problem,
                      graph::Rule rule, network::Precision precision, std::size_t epochs);

}  // namespace postrider::bench
