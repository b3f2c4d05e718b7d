// Columns that do not look as in the rows learned, for Prometheus.
#pragma once

#include <string>
#include <vector>

#include "postrider/monitor.h"

namespace postrider::cli {

// What is found of one of several models, by the labels that name it; empty for the only one.
struct ModelDrift {
  std::string labels;
  std::vector<DriftWatch::Warning> found;
};
std::string drift_metrics(
    const std::vector<ModelDrift>& models);  // in the form that Prometheus reads

}  // namespace postrider::cli
