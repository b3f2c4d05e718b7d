// What a fitted estimator is made of, and its file.
#pragma once

#include <string>
#include <vector>

#include "data/standardise.h"
#include "postrider/network.h"

namespace postrider {

struct FittedModel {
  Network network;
  Scales inputs, targets;
  std::vector<double> noise_variance;  // standardised, per output
};

// A safetensors file: per layer `layers.<l>.tau` and `.rho`, units by inputs with the bias last, the
// priors beside them, and the scales. The shape of the network is in the metadata.
void write_model(const std::string& path, const FittedModel& model);
FittedModel read_model(const std::string& path);  // throws Error

}  // namespace postrider
