// What a study's seeds draw, as the gradient methods take it.
#pragma once

#include "baselines/gradient.h"
#include "study.h"

namespace postrider::experiments {

GradientShape gradient_shape(const NetworkTask& task);

// The same problems as for message passing, prior means drawn afresh.
struct Seeds {
  std::vector<Problem> problems;
  std::vector<TrainingRows> rows;
  std::vector<std::vector<double>> starts;  // weights drawn from the problem's prior
};
Seeds draw_seeds(const Study& study, const Settings& settings, std::size_t count);

// Weights that are known: the noise is all the variance there is.
Predictor point_predictor(const NetworkTask& task, std::vector<double> weights);

// Weights that are drawn, one row per draw: mean and variance over the draws, and the noise.
Predictor sampled_predictor(const NetworkTask& task, std::vector<std::vector<double>> draws);

// So many draws from independent Gaussians.
std::vector<std::vector<double>> draw_weights(const std::vector<double>& mean,
                                              const std::vector<double>& deviation,
                                              std::size_t count, RandomStream random);

// A run is not proper if its scores are no numbers, or the training NLL is beyond all bounds: it
// diverged.
Outcome outcome_of(const NetworkTask& task, const Problem& problem, const Predictor& predictor,
                   std::size_t epochs);

}  // namespace postrider::experiments
