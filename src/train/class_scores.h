// Probabilities of classes from their scores, with threads that are there already.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/workers.h"
#include "postrider/network/trainer.h"

namespace postrider::internal {

std::vector<double> class_probabilities(const network::Network::OutputMoments& scores,
                                        std::size_t outputs, double noise_variance,
                                        Workers& workers, double temperature);
// The probability of one class in each row, which is far less work where classes are many. Not normalised: those of all
// classes sum to 1 but for the error of a quadrature.
std::vector<double> class_probabilities_of(std::span<const std::size_t> labels,
                                           const network::Network::OutputMoments& scores,
                                           std::size_t outputs, double noise_variance,
                                           Workers& workers, double temperature);

double class_temperature(std::span<const network::Trainer::NoisyScores> networks,
                         std::size_t outputs, std::span<const std::size_t> labels, Workers& workers,
                         std::span<const double> weights);

}  // namespace postrider::internal
