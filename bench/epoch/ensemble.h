// Ensembles: members trained together, a network in each lane of the vectors.
#pragma once

#include <vector>

#include "bench/common/program.h"
#include "bench/epoch/measured.h"

namespace postrider::bench {

struct MeasuredEnsemble {
  EnsembleCase ensemble;
  EnsembleRounds rounds;

  Ratio to_torch() const { return ratio(rounds.ours, rounds.torch); }
  Ratio to_hand() const { return ratio(rounds.ours, rounds.hand); }
};

// Those of the cases that were asked for.
std::vector<MeasuredEnsemble> measure_ensembles(const Settings& settings);

// Prints a table, and adds the cases and what they claim; `fair`: libtorch has an optimised BLAS.
void report_ensembles(const std::vector<MeasuredEnsemble>& all, bool fair,
                      experiments::Object& cases, experiments::Part& part);

}  // namespace postrider::bench
