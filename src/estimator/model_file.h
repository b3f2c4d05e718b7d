// What a fitted estimator is made of, and its file.
#pragma once

#include <string>
#include <vector>

#include "data/standardise.h"
#include "postrider/network.h"

namespace postrider {

enum class ModelKind { regressor, classifier };

struct FittedModel {
  ModelKind kind;
  Network network;
  Scales inputs, targets;              // the targets of a classifier have no scale
  std::vector<double> noise_variance;  // standardised, per output; a classifier's: one
};

// A safetensors file: per layer `layers.<l>.tau` and `.rho`, units by inputs with the bias last, the
// priors beside them, and the scales. Kind and shape of the network are in the metadata.
void write_model(const std::string& path, const FittedModel& model);
// Throws Error, also if the model is of the other kind.
FittedModel read_model(const std::string& path, ModelKind kind);

}  // namespace postrider
