// What training knows of one network besides its beliefs: the noise, the best epoch so far, the history.
#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

#include "postrider/trainer.h"
#include "sweep/arrays.h"
#include "train/targets.h"

namespace postrider {

template <class T>
struct Progress {
  std::size_t epoch = 0, best_epoch = 0;
  double best_score = -std::numeric_limits<double>::infinity();
  double training_score = 0, training_score_before = 0;
  std::vector<double> noise, best_noise;
  WeightMessages<T> best;
  std::vector<EpochReport> epochs;

  // Before the first epoch.
  static Progress beginning(const std::vector<double>& noise, const WeightMessages<T>& prior) {
    Progress out;
    out.noise = out.best_noise = noise;
    out.best = prior;
    return out;
  }
};

inline bool is_sound(const EpochReport& report) {
  return std::isfinite(report.score) && std::isfinite(report.drift);
}

// Whether the last whole epoch's beliefs are what training ends with, and not the best one's.
inline bool keeps_last(const TrainerOptions& options) {
  return options.stopping != Stopping::score;
}

// Completes the report of an epoch whose number, events and drift are in it: the score, the noise of the
// next epoch, and whether this one is the best so far, whose belief copy_belief() then writes.
template <class T>
void close_epoch(Progress<T>& progress, const TrainerOptions& options, const Targets<T>& targets,
                 const PredictedRows<T>& predicted, EpochReport& report,
                 const std::function<void(WeightMessages<T>&)>& copy_belief);
// The same of rows that somebody else has assessed; the typical noise is for the caller to add.
template <class T>
void close_epoch(Progress<T>& progress, const TrainerOptions& options, const Targets<T>& targets,
                 const Assessment& found, EpochReport& report,
                 const std::function<void(WeightMessages<T>&)>& copy_belief);

}  // namespace postrider
