#include "train/progress.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "sweep/workspace.h"
#include "train/noise.h"

namespace postrider::internal {
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
  report.score_error = found.standard_error();
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
void keep_left_out(Progress<T>& progress, const TrainerOptions& options,
                   const Predictions<const T>& predicted, std::span<const std::uint32_t> left_out,
                   const EpochReport& report) {
  LeftOutMoments<T>& kept = progress.left_out;
  const bool counts = keeps_last(options) || progress.best_epoch == report.epoch;
  if (left_out.empty() || !is_sound(report) || !counts) return;
  kept.epoch = report.epoch;
  const std::size_t outputs = kept.mean.size() / left_out.size();
  for (std::size_t i = 0; i < kept.mean.size(); ++i) {
    const std::size_t from = left_out[i / outputs] * outputs + i % outputs;
    kept.mean[i] = predicted.mean[from];
    kept.variance[i] = predicted.variance[from];
  }
}

template void keep_left_out(Progress<float>&, const TrainerOptions&,
                            const Predictions<const float>&, std::span<const std::uint32_t>,
                            const EpochReport&);
template void keep_left_out(Progress<double>&, const TrainerOptions&,
                            const Predictions<const double>&, std::span<const std::uint32_t>,
                            const EpochReport&);
template void close_epoch(Progress<float>&, const TrainerOptions&, const std::vector<double>&,
                          const Targets<float>&, const Assessment&, EpochReport&,
                          const std::function<void(WeightMessages<float>&)>&);
template void close_epoch(Progress<double>&, const TrainerOptions&, const std::vector<double>&,
                          const Targets<double>&, const Assessment&, EpochReport&,
                          const std::function<void(WeightMessages<double>&)>&);

template <class T>
Observed LeftOutObservation<T>::observe_left_out(const OutputRow<T>& row) {
  const std::size_t outputs = row.mean.size();
  for (std::vector<T>* array : {&shift_, &spread_, &least_}) array->resize(outputs);
  SweepRecord uncounted;
  const Observed out = of_.observe(row, {shift_, spread_, least_}, uncounted);
  for (std::size_t k = of_.first_left_out_output(outputs); k < outputs; ++k) {
    means_.push_back(row.mean[k] + shift_[k]);
    variances_.push_back(least_[k]);
  }
  return out;
}

template <class T>
Observed LeftOutObservation<T>::observe(const OutputRow<T>& row, const OutputBack<T>& back,
                                        SweepRecord& record) {
  const Observed out = of_.observe(row, back, record);
  const std::size_t outputs = row.mean.size();
  for (std::size_t k = of_.first_left_out_output(outputs); k < outputs; ++k, ++next_) {
    check(next_ < means_.size(), "rows are learned in the order in which they were left out");
    const bool informed = variances_[next_] < static_cast<T>(kVague);
    back.shift[k] = informed ? means_[next_] - row.mean[k] : T{0};
    back.least[k] = variances_[next_];
    back.spread[k] = informed ? variances_[next_] + row.variance[k] : static_cast<T>(kVague);
  }
  return out;
}

template class LeftOutObservation<float>;
template class LeftOutObservation<double>;

}  // namespace postrider::internal
