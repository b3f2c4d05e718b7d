// One seed trained on the graph and, on the same data, on plain arrays.
#pragma once

#include <span>
#include <vector>

#include "graph_trainer.h"

namespace postrider::experiments {

struct Scores {
  double training = 0, beyond = 0, epochs = 0;
};

// Trains until the relative change of the training score is below the last of `stops`, which come
// loosest first, or to the limit of epochs. One entry per stop. The first `swept` epochs have been
// swept.
std::vector<Scores> train(Trainer& trainer, const NetworkTask& task, const Problem& problem,
                          std::span<const double> stops, std::size_t swept = 0);

// How far the graph's weights are from those on plain arrays: after a batch, after an epoch, and
// how far the latter move in an epoch if the prior means are nudged. Training magnifies rounding, and
// the nudge tells by how much.
constexpr double kNudge = 1e-14;  // relative
struct Distances {
  double batch = 0, epoch = 0, nudged = 0;
};

// One seed: the graph, and the plain program on the same data.
struct Outcome {
  std::vector<Scores> graph, plain;  // per stop
  Distances distances;
  double seconds = 0;  // of both
  std::size_t refused_quotients = 0;
  graph::Record record;
};

Outcome compare(const NetworkTask& task, const Problem& problem, graph::Rule rule,
                std::span<const double> stops);

}  // namespace postrider::experiments
