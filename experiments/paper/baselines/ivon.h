// IVON on the small network: a sweep of its settings on the first seed, and chosen settings on all.
#pragma once

#include "baselines/arm.h"

namespace postrider::experiments {

// One setting on the first seed.
struct IvonRun {
  Ivon ivon;
  std::vector<double> curve;  // training NLL after each epoch; may end in no number
};

struct IvonSweep {
  std::vector<IvonRun> runs;

  // The run with the lowest final score, of those with this first curvature and this rate if they
  // are given.
  const IvonRun& best(double curvature = 0, double rate = 0) const;
};

IvonSweep sweep_ivon(const Settings& settings);
Part describe_sweep(const IvonSweep& sweep);

// The paper's setting and the best of the sweep, over seeds, for the paper's two numbers of epochs.
std::vector<Arm> run_ivon(const IvonSweep& sweep, const Settings& settings);
Part describe_ivon(const std::vector<Arm>& arms, const Settings& settings);
Object summarise_ivon(const std::vector<Arm>& arms, const Settings& settings, Part& part);

// On a linear model with inputs that do not overlap the exact answer is known.
void check_ivon(const Settings& settings, Part& part);

}  // namespace postrider::experiments
