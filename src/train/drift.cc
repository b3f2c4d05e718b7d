#include "train/drift.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace postrider::internal {
namespace {

template <class T>
T kept(const StreamReport::DriftRate& rate, std::size_t times) {
  return static_cast<T>(std::pow(1 - rate.forgetting, static_cast<double>(kForgetEvery * times)));
}

bool is_due(std::size_t seen) { return seen % kForgetEvery == 0; }

template <class T>
void walk(T& tau, T& rho, T variance) {
  const T share = 1 / (1 + variance * rho);
  tau *= share;
  rho *= share;
}

}  // namespace

template <class T>
Drift<T>::Drift(const NetworkArrays<T>& network, const StreamReport::DriftRate& rate,
                std::size_t walking, bool may_be_lazy)
    : network_(network), rate_(rate), keep_(kept<T>(rate, 1)) {
  const std::vector<SweepLayer>& layers = network.engine.layers();
  const std::vector<LayerLayout>& layouts = network.engine.layout().layers();
  check(walking <= layers.back().units, "only outputs walk");
  if (rate.walk > 0 && layers.back().bias)
    for (std::size_t o = 0; o < walking; ++o)
      biases_.push_back(layouts.back().index(o, layers.back().inputs));
  // A row of the layout is an input: its numbers lie together.
  if (may_be_lazy && rate.forgetting > 0 && layers.front().active_inputs > 0 &&
      layouts.front().units_across) {
    settled_.resize(layers.front().fan_in());
    lazy_end_ = layouts.front().offset + layouts.front().size();
  }
}

template <class T>
void Drift<T>::forget(WeightMessages<T>& belief, std::size_t begin, std::size_t end, T keep) const {
  const WeightMessages<T>& prior = network_.prior;
  for (std::size_t i = begin; i < end; ++i) {
    belief.tau[i] = keep * belief.tau[i] + (1 - keep) * prior.tau[i];
    belief.rho[i] = keep * belief.rho[i] + (1 - keep) * prior.rho[i];
  }
}

template <class T>
void Drift<T>::catch_up(WeightMessages<T>& belief, std::size_t input) {
  const std::size_t behind = due_ - settled_[input];
  if (behind == 0) return;
  const LayerLayout& layout = network_.engine.layout().layers().front();
  const std::size_t begin = layout.offset + input * layout.stride;
  forget(belief, begin, begin + layout.stride, behind == 1 ? keep_ : kept<T>(rate_, behind));
  settled_[input] = due_;
}

template <class T>
void Drift<T>::before_row(WeightMessages<T>& belief, std::span<const std::uint32_t> inputs) {
  if (!is_lazy()) return;
  for (const std::uint32_t input : inputs) catch_up(belief, input);
  catch_up(belief, settled_.size() - 1);  // the bias, or an input that is not worth a question
}

template <class T>
void Drift<T>::after_row(WeightMessages<T>& belief, std::size_t seen) {
  if (rate_.forgetting > 0 && is_due(seen)) {
    forget(belief, lazy_end_, belief.size(), keep_);
    ++due_;
  }
  for (const std::size_t at : biases_)
    walk(belief.tau[at], belief.rho[at], static_cast<T>(rate_.walk));
}

template <class T>
void Drift<T>::settle(WeightMessages<T>& belief) {
  for (std::size_t input = 0; input < settled_.size(); ++input) catch_up(belief, input);
  due_ = 0;
  std::ranges::fill(settled_, std::size_t{0});
}

template <class T>
bool Drift<T>::keeps_prior(std::size_t at) const {
  return std::ranges::find(biases_, at) == biases_.end();
}

template <class T>
PackDrift<T>::PackDrift(const std::vector<SweepLayer>& layers,
                        const std::vector<StreamReport::DriftRate>& rates, std::size_t walking) {
  check(!rates.empty() && rates.size() <= kPack, "a pack holds 1 to 16 networks");
  for (std::size_t m = 0; m < kPack; ++m) {
    const StreamReport::DriftRate& rate = rates[m < rates.size() ? m : 0];
    keep_[m] = kept<T>(rate, 1);
    walk_[m] = static_cast<T>(rate.walk);
    forgets_ = forgets_ || rate.forgetting > 0;
    walks_ = walks_ || rate.walk > 0;
  }
  std::size_t first = 0;
  for (std::size_t l = 0; l + 1 < layers.size(); ++l) first += layers[l].weights();
  if (walks_ && layers.back().bias)
    for (std::size_t o = 0; o < walking; ++o)
      biases_.push_back((first + o * layers.back().fan_in() + layers.back().inputs) * kPack);
}

template <class T>
void PackDrift<T>::after_row(WeightMessages<T>& belief, const WeightMessages<T>& prior,
                             std::size_t seen) const {
  if (forgets_ && is_due(seen)) {
    const auto mix = [&](AlignedVector<T>& of, const AlignedVector<T>& with) {
      for (std::size_t i = 0; i < of.size(); i += kPack)
        for (std::size_t m = 0; m < kPack; ++m)
          of[i + m] = keep_[m] * of[i + m] + (1 - keep_[m]) * with[i + m];
    };
    mix(belief.tau, prior.tau);
    mix(belief.rho, prior.rho);
  }
  for (const std::size_t at : biases_)
    for (std::size_t m = 0; m < kPack; ++m) walk(belief.tau[at + m], belief.rho[at + m], walk_[m]);
}

template <class T>
bool PackDrift<T>::keeps_prior(std::size_t at) const {
  return std::ranges::find(biases_, at / kPack * kPack) == biases_.end();
}

template class Drift<float>;
template class Drift<double>;
template class PackDrift<float>;
template class PackDrift<double>;

}  // namespace postrider::internal
