// One instance of the master theorem at the backward message of a leaky ReLU.
#pragma once

#include "certify/exact_message.h"
#include "postrider/graph/factor.h"

namespace postrider::experiments {
using namespace internal;

// The paper gives the signal-to-noise ratio r = |mean_y|/s_y but neither of the two, and no mean
// for the message from X. We take s_y = 1, mean_y = r and mean_x = 0.
struct LeakyReluCase {
  double slope, snr, width_x;
  double mean_x = 0, width_y = 1;

  MasterInstance run() const {
    const auto factor = graph::make_factor("leaky_relu", {{"slope", {slope}}});
    const std::vector<Gaussian> incoming{Gaussian::from_moments(snr * width_y, width_y * width_y),
                                         Gaussian::from_moments(mean_x, width_x * width_x)};
    const Gaussian sent = factor->send(1, graph::Rule::direct, incoming).message;
    const ExactMessage exact(*factor, 1, incoming);
    return master_instance(exact.density(sent), exact.marginal(), incoming[1], sent);
  }
};

}  // namespace postrider::experiments
