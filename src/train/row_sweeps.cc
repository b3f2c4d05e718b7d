#include "train/row_sweeps.h"

#include <limits>

#include "train/groups.h"
#include "train/progress.h"

namespace postrider::internal {
namespace {

// Beliefs larger than this are swept in blocks of examples: less than the second-level cache of
// common machines, which other data shares.
constexpr std::size_t kCacheBytes = std::size_t{1} << 20;
// How many examples must have been seen for each one in a block. Early on every example moves the
// beliefs far, and several at once from one snapshot overshoot.
constexpr std::size_t kSeenPerBlock = 16;

}  // namespace

template <class T>
void RowSweeps<T>::load(const RowsToLearn& rows) {
  targets_.load(rows.targets, rows.inputs.size(), rows.sample_weights);
  inputs_ = rows.inputs.template prepared<T>();
  const std::size_t count = rows.inputs.size();
  mean_.assign(count * outputs(), T{0});
  variance_.assign(count * outputs(), T{0});
  unused_mean_.resize(mean_.size());
  unused_variance_.resize(mean_.size());
  // Nothing is known of a row before it was swept.
  constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
  observed_.assign(is_observed_ ? count : 0, {kMissing, 0});
  examples_ = {inputs_->view(), targets_.values(), outputs()};
}

template <class T>
OutputRow<T> RowSweeps<T>::output_row(std::size_t row) const {
  const auto of_row = [&](const std::vector<T>& all) {
    return std::span(all).subspan(row * outputs(), outputs());
  };
  const std::size_t targets = targets_.per_row();
  return {of_row(mean_), of_row(variance_), examples_.targets.subspan(row * targets, targets),
          noise_};
}

template <class T>
void RowSweeps<T>::learn(WeightMessages<T>& belief, std::span<const std::uint32_t> rows,
                         double power, std::size_t block, Sweeper<T>& with) {
  learn(belief, rows, power, block, with.observation.get(), predictions(), with);
}

template <class T>
void RowSweeps<T>::learn_left_out(WeightMessages<T>& belief, const WeightMessages<T>& without,
                                  std::span<const std::uint32_t> rows, double power,
                                  std::size_t block, Sweeper<T>& with) {
  engine_.predict(without, examples_, rows, {mean_, variance_}, with.workspace);
  const Predictions<T> unused{unused_mean_, unused_variance_};
  if (!is_observed_) return learn(belief, rows, power, block, nullptr, unused, with);
  LeftOutObservation<T> observation(*with.observation);
  for (const std::uint32_t row : rows)
    observed_[row] = observation.observe_left_out(output_row(row));
  learn(belief, rows, power, block, &observation, unused, with);
}

template <class T>
void RowSweeps<T>::judge(const WeightMessages<T>& belief, std::span<const std::uint32_t> rows,
                         Sweeper<T>& with) {
  engine_.predict(belief, examples_, rows, {mean_, variance_}, with.workspace);
  if (!is_observed_) return;
  LeftOutObservation<T> observation(*with.observation);
  for (const std::uint32_t row : rows)
    observed_[row] = observation.observe_left_out(output_row(row));
}

// Rows of one weight after another are swept together.
template <class T>
void RowSweeps<T>::learn(WeightMessages<T>& belief, std::span<const std::uint32_t> rows,
                         double power, std::size_t block, Observation<T>* observation,
                         const Predictions<T>& predictions, Sweeper<T>& with) {
  while (!rows.empty()) {
    const double weight = targets_.weight(rows.front());
    std::size_t count = 1;
    if (!targets_.is_weighted()) count = rows.size();
    while (count < rows.size() && targets_.weight(rows[count]) == weight) ++count;
    engine_.learn(belief, examples_, rows.first(count),
                  {noise_, block, static_cast<T>(weight * power), observation, with.workers},
                  predictions, with.workspace, with.record);
    rows = rows.subspan(count);
  }
}

template <class T>
double RowSweeps<T>::score(const WeightMessages<T>& belief, const std::vector<double>& noise,
                           Workspace<T>& workspace) const {
  std::vector<T> mean(mean_.size()), variance(variance_.size());
  engine_.predict(belief, examples_, counted(size()), {mean, variance}, workspace);
  return targets_.assess_all({mean, variance}, noise).score;
}

template <class T>
std::size_t block_size(const SweepEngine<T>& engine, std::size_t weights, std::size_t asked,
                       std::size_t seen) {
  if (engine.rule() == Rule::direct) return 1;
  const std::size_t bytes = 2 * weights * sizeof(T);
  const std::size_t wanted = asked > 0 ? asked : (bytes > kCacheBytes ? kLargestBlock : 1);
  std::size_t out = 1;
  while (out < wanted && 2 * out * kSeenPerBlock <= seen) out *= 2;
  return out;
}

template class RowSweeps<float>;
template class RowSweeps<double>;
template std::size_t block_size(const SweepEngine<float>&, std::size_t, std::size_t, std::size_t);
template std::size_t block_size(const SweepEngine<double>&, std::size_t, std::size_t, std::size_t);

}  // namespace postrider::internal
