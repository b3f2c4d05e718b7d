// What training knows of one network besides its beliefs: the noise, the best epoch so far, the history.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "postrider/training.h"
#include "sweep/arrays.h"
#include "sweep/observation.h"
#include "train/targets.h"

namespace postrider::internal {

// What was predicted, after one epoch, of every row that the network leaves out.
template <class T>
struct LeftOutMoments {
  std::size_t epoch = 0;  // 0: none is kept
  std::vector<T> mean, variance;

  // In double, if they are of this epoch; else none.
  network::Network::OutputMoments of_epoch(std::size_t wanted) const {
    if (epoch == 0 || epoch != wanted) return {};
    return {{mean.begin(), mean.end()}, {variance.begin(), variance.end()}};
  }
};

template <class T>
struct Progress {
  std::size_t epoch = 0, best_epoch = 0;
  double best_score = -std::numeric_limits<double>::infinity();
  double training_score = 0, training_score_before = 0;
  std::vector<double> noise, best_noise;
  WeightMessages<T> best;
  LeftOutMoments<T> left_out;  // of the epoch whose beliefs count, if such rows are kept
  std::vector<EpochReport> epochs;
  std::size_t refits_left = 0;  // epochs of all rows that are yet to come after these

  // Before the first epoch. So many predictions of rows are kept; 0: none.
  static Progress beginning(const std::vector<double>& noise, const WeightMessages<T>& prior,
                            std::size_t predictions = 0) {
    Progress out;
    out.left_out.mean.resize(predictions);
    out.left_out.variance.resize(predictions);
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
  return options.stopping != TrainerOptions::Stopping::score;
}

// The part of the usual share by which means may run ahead. They must have taken steps, and the last one must not have lowered the score. Where rows are
// many, so that a score that falls is no chance, and it keeps falling, they run too far: each fall halves the part, and rises bring it back slowly.
template <class T>
double part_ahead(const Progress<T>& progress, std::size_t rows) {
  constexpr std::size_t kFirstSteps = 3, kExactFrom = 3000;
  constexpr double kRise = 1.1;
  const double fall = rows < kExactFrom ? 1 : 0.5;
  const std::vector<EpochReport>& epochs = progress.epochs;
  double part = 1;
  bool may_go_on = false;
  for (std::size_t e = kFirstSteps - 1; e < epochs.size(); ++e) {
    may_go_on = epochs[e].score >= epochs[e - 1].score;
    part = may_go_on ? std::min(1.0, part * kRise) : part * fall;
  }
  return may_go_on ? part : 0;
}

// Completes the report of an epoch whose number, events and drift are in it: the score, the noise of the
// next epoch, and whether this one is the best so far, whose belief copy_belief() then writes. The known noise is the
// task's; the typical noise is for the caller to add.
template <class T>
void close_epoch(Progress<T>& progress, const TrainerOptions& options,
                 const std::vector<double>& known_noise, const Targets<T>& targets,
                 const Assessment& found, EpochReport& report,
                 const std::function<void(WeightMessages<T>&)>& copy_belief);
// Keeps what was predicted of the rows that are left out, if this epoch is what counts so far.
template <class T>
void keep_left_out(Progress<T>& progress, const TrainerOptions& options,
                   const Predictions<const T>& predicted, std::span<const std::uint32_t> left_out,
                   const EpochReport& report);

// --- What targets say where nothing of their rows is known, kept while the rows are learned with damping.

// Stands in for another observation. Rows are first shown as they are predicted without all that their
// group said; then, when they are learned in the same order, the outputs from first_left_out_output() on
// hear what was said of them there.
template <class T>
class LeftOutObservation : public Observation<T> {
 public:
  // It must outlive this.
  explicit LeftOutObservation(Observation<T>& of) : of_(of) {}

  std::size_t targets_per_row() const override { return of_.targets_per_row(); }
  // Observes the next row, by predictions without its group.
  Observed observe_left_out(const OutputRow<T>& row);
  Observed observe(const OutputRow<T>& row, const OutputBack<T>& back,
                   SweepRecord& record) override;

 private:
  Observation<T>& of_;
  std::vector<T> means_, variances_;       // of what came back to these outputs, row by row
  std::vector<T> shift_, spread_, least_;  // what an observation writes
  std::size_t next_ = 0;                   // of the kept numbers
};

extern template class LeftOutObservation<float>;
extern template class LeftOutObservation<double>;

}  // namespace postrider::internal
