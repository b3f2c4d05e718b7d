#include "train/progress.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "train/noise.h"

namespace postrider {
namespace {

// Near enough to be there, of the logarithm.
constexpr double kArrived = 0.01;

// From the noise of the first epoch, when most of what is not understood looks like noise, to the known one. Scores of
// another noise say nothing about the best epoch: once it is there the first epoch of all is the next one.
template <class T>
void approach(const std::vector<double>& known, bool is_first_epoch, Progress<T>& progress) {
  if (progress.noise == known) return;
  bool is_there = true;
  std::vector<double> next = known;
  for (std::size_t k = 0; k < known.size(); ++k) {
    next[k] = next_noise(progress.noise[k], known[k], is_first_epoch);
    is_there = is_there && std::abs(std::log(next[k] / known[k])) < kArrived;
  }
  progress.noise = is_there ? known : next;
  if (is_there) progress.best_score = -std::numeric_limits<double>::infinity();
}

}  // namespace

template <class T>
void close_epoch(Progress<T>& progress, const TrainerOptions& options,
                 const std::vector<double>& known_noise, const Targets<T>& targets,
                 const Assessment& found, EpochReport& report,
                 const std::function<void(WeightMessages<T>&)>& copy_belief) {
  report.score = found.score;
  if (is_sound(report) && report.score > progress.best_score) {
    progress.best_score = report.score;
    progress.best_epoch = report.epoch;
    copy_belief(progress.best);
    progress.best_noise = progress.noise;
  }
  if (!known_noise.empty())
    approach(known_noise, report.epoch == 1, progress);
  else if (options.learn_noise)
    progress.noise = targets.learned_noise(progress.noise, found.evidence, report.epoch == 1);
  report.best_epoch = progress.best_epoch;
  report.noise_variance = progress.noise;
}

template <class T>
void close_epoch(Progress<T>& progress, const TrainerOptions& options,
                 const std::vector<double>& known_noise, const Targets<T>& targets,
                 const PredictedRows<T>& predicted, EpochReport& report,
                 const std::function<void(WeightMessages<T>&)>& copy_belief) {
  close_epoch(progress, options, known_noise, targets, targets.assess(predicted, progress.noise),
              report, copy_belief);
  LeftOutRows<T>& left_out = progress.left_out;
  const bool counts = keeps_last(options) || progress.best_epoch == report.epoch;
  if (!left_out.mean.empty() && is_sound(report) && counts) {
    left_out.epoch = report.epoch;
    left_out.mean.assign(predicted.mean.begin(), predicted.mean.end());
    left_out.variance.assign(predicted.variance.begin(), predicted.variance.end());
  }
  report.typical_noise_variance = targets.typical_noise(predicted, progress.noise);
}

template void close_epoch(Progress<float>&, const TrainerOptions&, const std::vector<double>&,
                          const Targets<float>&, const PredictedRows<float>&, EpochReport&,
                          const std::function<void(WeightMessages<float>&)>&);
template void close_epoch(Progress<double>&, const TrainerOptions&, const std::vector<double>&,
                          const Targets<double>&, const PredictedRows<double>&, EpochReport&,
                          const std::function<void(WeightMessages<double>&)>&);
template void close_epoch(Progress<float>&, const TrainerOptions&, const std::vector<double>&,
                          const Targets<float>&, const Assessment&, EpochReport&,
                          const std::function<void(WeightMessages<float>&)>&);
template void close_epoch(Progress<double>&, const TrainerOptions&, const std::vector<double>&,
                          const Targets<double>&, const Assessment&, EpochReport&,
                          const std::function<void(WeightMessages<double>&)>&);

}  // namespace postrider
