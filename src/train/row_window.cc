#include "train/row_window.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "base/random.h"
#include "train/drift.h"
#include "train/groups.h"

namespace postrider::internal {
namespace {

template <class T>
void scale(std::span<T> values, T by) {
  for (T& value : values) value *= by;
}

// sum += now - before.
template <class T>
void add_gain(AlignedVector<T>& sum, const AlignedVector<T>& now, const AlignedVector<T>& before) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += now[i] - before[i];
}

}  // namespace

template <class T>
RowWindow<T>::RowWindow(NetworkArrays<T>& network, const network::Trainer::Task& task,
                        std::size_t bytes, std::uint64_t seed)
    : network_(network),
      task_(task),
      numbers_(network.belief.size()),
      capacity_(bytes / (2 * numbers_ * sizeof(T))),
      seed_(seed),
      keep_(std::pow(1 - task.drift.forgetting, static_cast<double>(kForgetEvery))),
      targets_(make_targets<T>(task.likelihood, network.engine.layers().back().units)),
      sweeps_(network.engine, *targets_),
      tau_(capacity_ * numbers_),
      rho_(capacity_ * numbers_),
      open_message_(numbers_) {
  check(task.drift.walk == 0, "what walks is no sum of messages");
}

template <class T>
void RowWindow<T>::before_row(const WeightMessages<T>& belief) {
  if (capacity_ > 0) before_ = belief;
}

template <class T>
void RowWindow<T>::after_row(const WeightMessages<T>& belief, const ExamplesView<T>& examples,
                             std::size_t row, double weight) {
  if (capacity_ == 0) return;
  add_gain(open_message_.tau, belief.tau, before_.tau);
  add_gain(open_message_.rho, belief.rho, before_.rho);
  const InputRow<T> inputs = examples.inputs.row(row);
  for (std::size_t k = 0; k < inputs.columns.size(); ++k) {
    open_.inputs.add(inputs.columns[k], static_cast<double>(inputs.means[k]));
    open_.inputs.variances.push_back(static_cast<double>(inputs.variance(k)));
  }
  open_.inputs.end_row();
  const std::size_t targets = targets_->per_row();
  for (const T target : examples.targets.subspan(row * targets, targets))
    open_.targets.push_back(static_cast<double>(target));
  open_.weights.push_back(weight);
}

template <class T>
void RowWindow<T>::after_drift(std::size_t seen) {
  if (capacity_ == 0 || seen % kForgetEvery != 0 || keep_ == 1) return;
  scale(std::span<T>(open_message_.tau), static_cast<T>(keep_));
  scale(std::span<T>(open_message_.rho), static_cast<T>(keep_));
}

template <class T>
void RowWindow<T>::end_block(WeightMessages<T>& belief, const std::vector<double>& noise,
                             std::size_t seen, bool looks_ahead, Sweeper<T>& with) {
  if (capacity_ == 0 || open_.weights.empty()) return;
  const std::size_t forgotten = seen / kForgetEvery;
  if (blocks_.size() == capacity_) blocks_.pop_front();
  constexpr network::Precision kPrecision =
      std::is_same_v<T, float> ? network::Precision::float32 : network::Precision::float64;
  Block block{next_slot_, (seen - open_.weights.size()) / kForgetEvery, forgotten};
  open_.inputs.columns = network_.engine.layers().front().inputs;
  block.rows = std::make_unique<TrainingRows>(open_.inputs, open_.inputs.columns, kPrecision);
  block.targets = std::move(open_.targets);
  block.weights = std::move(open_.weights);
  std::ranges::copy(open_message_.tau, tau(block.slot).begin());
  std::ranges::copy(open_message_.rho, rho(block.slot).begin());
  next_slot_ = (next_slot_ + 1) % capacity_;
  blocks_.push_back(std::move(block));
  open_ = {};
  std::ranges::fill(open_message_.tau, T{0});
  std::ranges::fill(open_message_.rho, T{0});
  if (blocks_.size() == 1) return;
  sweeps_.set_noise(noise);
  RandomStream random(seed_, seen);
  // Not the newest, which has just been swept.
  for (std::size_t k = 0; k < kRefreshes; ++k)
    refresh(blocks_[random.below(blocks_.size() - 1)], belief, forgotten, looks_ahead, with);
}

template <class T>
void RowWindow<T>::refresh(Block& block, WeightMessages<T>& belief, std::size_t forgotten,
                           bool looks_ahead, Sweeper<T>& with) {
  const auto kept_since = [&](std::size_t then) {
    return std::pow(keep_, static_cast<double>(forgotten - then));
  };
  const std::span<T> message_tau = tau(block.slot), message_rho = rho(block.slot);
  if (block.stored != forgotten && keep_ != 1) {
    scale(message_tau, static_cast<T>(kept_since(block.stored)));
    scale(message_rho, static_cast<T>(kept_since(block.stored)));
  }
  network_.engine.take_out(belief, network_.prior, message_tau, message_rho, with.workers);
  sweeps_.load({*block.rows, block.targets, block.weights});
  const std::vector<std::uint32_t> rows = counted(sweeps_.size());
  const double power = task_.power * kept_since(block.born);
  if (looks_ahead) {
    without_ = belief;
    sweeps_.learn_left_out(belief, without_, rows, power, 1, with);
  } else {
    sweeps_.learn(belief, rows, power, 1, with);
  }
  network_.engine.difference(belief, message_tau, message_rho, with.workers);
  block.stored = forgotten;
}

template <class T>
void RowWindow<T>::clear() {
  blocks_.clear();
  open_ = {};
  next_slot_ = 0;
  std::ranges::fill(open_message_.tau, T{0});
  std::ranges::fill(open_message_.rho, T{0});
}

template class RowWindow<float>;
template class RowWindow<double>;

}  // namespace postrider::internal
