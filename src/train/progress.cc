#include "train/progress.h"

namespace postrider {

template <class T>
void close_epoch(Progress<T>& progress, const TrainerOptions& options, const Targets<T>& targets,
                 const Assessment& found, EpochReport& report,
                 const std::function<void(WeightMessages<T>&)>& copy_belief) {
  report.score = found.score;
  if (is_sound(report) && report.score > progress.best_score) {
    progress.best_score = report.score;
    progress.best_epoch = report.epoch;
    copy_belief(progress.best);
    progress.best_noise = progress.noise;
  }
  if (options.learn_noise)
    progress.noise = targets.learned_noise(progress.noise, found.evidence, report.epoch == 1);
  report.best_epoch = progress.best_epoch;
  report.noise_variance = progress.noise;
}

template <class T>
void close_epoch(Progress<T>& progress, const TrainerOptions& options, const Targets<T>& targets,
                 const PredictedRows<T>& predicted, EpochReport& report,
                 const std::function<void(WeightMessages<T>&)>& copy_belief) {
  close_epoch(progress, options, targets, targets.assess(predicted, progress.noise), report,
              copy_belief);
  LeftOutRows<T>& left_out = progress.left_out;
  const bool counts = keeps_last(options) || progress.best_epoch == report.epoch;
  if (!left_out.mean.empty() && is_sound(report) && counts) {
    left_out.epoch = report.epoch;
    left_out.mean.assign(predicted.mean.begin(), predicted.mean.end());
    left_out.variance.assign(predicted.variance.begin(), predicted.variance.end());
  }
  report.typical_noise_variance = targets.typical_noise(predicted, progress.noise);
}

template void close_epoch(Progress<float>&, const TrainerOptions&, const Targets<float>&,
                          const PredictedRows<float>&, EpochReport&,
                          const std::function<void(WeightMessages<float>&)>&);
template void close_epoch(Progress<double>&, const TrainerOptions&, const Targets<double>&,
                          const PredictedRows<double>&, EpochReport&,
                          const std::function<void(WeightMessages<double>&)>&);
template void close_epoch(Progress<float>&, const TrainerOptions&, const Targets<float>&,
                          const Assessment&, EpochReport&,
                          const std::function<void(WeightMessages<float>&)>&);
template void close_epoch(Progress<double>&, const TrainerOptions&, const Targets<double>&,
                          const Assessment&, EpochReport&,
                          const std::function<void(WeightMessages<double>&)>&);

}  // namespace postrider
