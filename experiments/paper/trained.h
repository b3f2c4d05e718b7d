// One network trained on what one seed draws, and how good it then is.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "common/network_task.h"
#include "postrider/network/trainer.h"

namespace postrider::experiments {
using namespace internal;

struct Method {
  graph::Rule rule;
  TrainerOptions::Stopping stopping;
};

// As the paper trains: one stored message per batch, examples in the order drawn, known noise.
TrainerOptions paper_training(const NetworkTask& task, TrainerOptions::Stopping stopping);

// Before training: the problem's priors.
network::Network make_network(const NetworkTask& task, const Problem& problem, graph::Rule rule);

FitReport fit(network::Network& network, const TrainerOptions& options, const Problem& problem,
              const TrainingCallbacks& callbacks = {});

// Predictions with the noise of an observation, beside what is true.
struct Predictions {
  std::vector<double> mean, variance, target;

  double negative_log_likelihood() const;  // per example and output
  // At each of calibration_levels().
  std::vector<double> coverage() const;
};
Predictions predict(const network::Network& network, const NetworkTask& task,
                    std::span<const Example> examples);

struct Outcome {
  double training = 0, beyond = 0;  // negative log-likelihoods per example and output
  // The paper's Delta, as calibration_error() has it, beyond the training inputs and among them.
  double calibration = 0, inside = 0;
  double epochs = 0;                  // run
  double kept = 0;                    // the epoch whose beliefs were kept
  std::vector<double> coverage = {};  // beyond
  bool has_stopped = false;           // by the rule and not by the limit
  bool is_proper = true;              // every belief after every epoch, and every score finite
  std::size_t linearised = 0, bounded = 0;  // as EpochReport counts them
};

// Fills in the scores, the errors and the coverage of whatever predicts.
using Predictor = std::function<Predictions(std::span<const Example>)>;
void score(const NetworkTask& task, const Problem& problem, const Predictor& predictor,
           Outcome& out);

Outcome train(const NetworkTask& task, const Problem& problem, const Method& method);

// The training score after each epoch, for so many epochs.
std::vector<double> training_curve(const NetworkTask& task, const Problem& problem,
                                   graph::Rule rule, std::size_t epochs);

}  // namespace postrider::experiments
