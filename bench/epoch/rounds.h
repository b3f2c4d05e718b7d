// Times of all contenders, taken in turns.
#pragma once

#include <vector>

#include "bench/common/roofs.h"
#include "bench/epoch/contender.h"
#include "postrider/network/network.h"

namespace postrider::bench {

// Seconds per epoch, one number per round. Without libtorch its list is empty.
struct Rounds {
  std::vector<double> ours, torch, hand;
  // The losses of libtorch's and the hand-written Adam after the same few batches: that both do the same.
  double torch_loss = 0, hand_loss = 0;
};

// For an ensemble: times are those of a member, an epoch's divided by the members.
struct EnsembleRounds : Rounds {
  double best_epoch = 0;  // seconds of the shortest epoch
  VectorRates rates;      // the highest seen between turns
};

// In each round every contender has a turn of many epochs or, if they are long, one: so a disturbance
// that lasts hits all of them, and ratios are taken within a round.
Rounds run_rounds(const Case& of, const TrainingSet& set, std::size_t repeats, bool quick);

// The same for members that are trained together, as an estimator trains them.
EnsembleRounds run_ensemble_rounds(const EnsembleCase& ensemble, const TrainingSet& set,
                                   std::size_t repeats, bool quick);

}  // namespace postrider::bench
