// A baseline with one setting over many seeds.
#pragma once

#include "baselines/seeds.h"
#include "study.h"

namespace postrider::experiments {

struct Arm {
  std::string name;                              // in the result files
  Object settings;                               // what was set by hand
  std::vector<Outcome> outcomes = {};            // by seed
  std::vector<std::vector<double>> curves = {};  // training NLL by epoch, by seed, of the few
  Object shown = {};                             // predictions on the first seed
};

const Arm& find(const std::vector<Arm>& arms, const std::string& name);

// Over the runs with a finite score among so many seeds.
std::vector<double> finite_values(const Arm& arm, double Outcome::*which, std::size_t seeds);
std::size_t diverged(const Arm& arm, std::size_t seeds);
double median_of(const Arm& arm, double Outcome::*which);

Object describe(const Arm& arm, const Study& study, const Settings& settings);

// What the quick version found when it was recorded.
struct ArmBand {
  std::string arm;
  double Outcome::*which;
  double recorded;
};
// Claims that medians have not moved, in quick runs with the recorded seed.
void check_bands(const std::vector<Arm>& arms, const std::vector<ArmBand>& bands,
                 const Settings& settings, Part& part);

// Mean and deviation over the inputs and beyond, on the first seed.
Object shown_prediction(const NetworkTask& task, const Problem& problem,
                        const Predictor& predictor);

// A value that the paper prints, ours by one or more readings of what it did, and a verdict.
Object summarise(const std::vector<const Arm*>& readings, const Published& published,
                 const Settings& settings, Part& part);

}  // namespace postrider::experiments
