#include "sweep/pack/engine.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"
#include "sweep/flush.h"
#include "sweep/pack/kernels.h"

namespace postrider::internal {

template <class T>
PackEngine<T>::PackEngine(std::vector<SweepLayer> layers, Rule rule, SimdLevel level)
    : layers_(std::move(layers)),
      rule_(rule),
      kernels_(std::make_shared<const PackKernels<T>>(pack_kernels<T>(level))) {
  check(!layers_.empty(), "a network has a layer");
  for (const SweepLayer& layer : layers_) weights_ += layer.weights();
}

template <class T>
MessageShape PackEngine<T>::message_shape() const {
  const SweepLayer& first = layers_.front();
  return {first.units, first.fan_in(), kPack, (weights_ - first.weights()) * kPack};
}

template <class T>
void PackEngine<T>::refresh(PackBeliefs<T>& beliefs, std::span<T> stored_tau,
                            std::span<T> stored_rho, const PackData<T>& data,
                            const PackGroup<T>& group, const PackLearnOptions<T>& options,
                            PackWorkspace<T>& workspace) const {
  check(rule_ == Rule::conditioned || options.block == 1, "direct messages go one by one");
  const MessageShape shape = message_shape();
  const std::size_t stored_inputs =
      stored_tau.size() < shape.others
          ? shape.inputs + 1
          : (stored_tau.size() - shape.others) / (shape.blocks * shape.width);
  check(stored_inputs <= shape.inputs && stored_tau.size() == shape.numbers(stored_inputs) &&
            stored_rho.size() == stored_tau.size(),
        "a stored message has a number for each weight that it is about");
  const auto next = [](std::span<const T> message, std::span<T> own) {
    return message.empty() ? own.data() : message.data();
  };
  check(options.damping.empty() || options.damping.size() == kPack,
        "each network has a damping, or none has");
  alignas(64) std::array<T, kPack> damping{};
  std::ranges::copy(options.damping, damping.begin());
  const FlushTinyNumbers flush;
  kernels_->refresh(
      {layers_, rule_, beliefs.belief.tau.data(), beliefs.belief.rho.data(), beliefs.least.data(),
       stored_tau.data(), stored_rho.data(), stored_inputs, next(group.next_tau, stored_tau),
       next(group.next_rho, stored_rho), damping.data(), data, workspace},
      group, options);
}

template <class T>
void PackEngine<T>::learn(PackBeliefs<T>& beliefs, const WeightMessages<T>* ahead,
                          const PackData<T>& data, const PackGroup<T>& group,
                          const PackLearnOptions<T>& options, PackWorkspace<T>& workspace) const {
  check(options.damping.empty(), "nothing is stored that could be kept");
  alignas(64) constexpr std::array<T, kPack> kNoDamping{};
  const FlushTinyNumbers flush;
  const auto call = [&](T* tau, T* rho) {
    return PackCall<T>{layers_,           rule_,   tau,      rho,     beliefs.least.data(),
                       nullptr,           nullptr, 0,        nullptr, nullptr,
                       kNoDamping.data(), data,    workspace};
  };
  const PackCall<T> learning = call(beliefs.belief.tau.data(), beliefs.belief.rho.data());
  if (ahead == nullptr) return kernels_->learn(learning, nullptr, group, options);
  check(ahead->size() == beliefs.belief.size(), "the other beliefs are of the same networks");
  // The forward pass only reads them.
  const PackCall<T> predicting =
      call(const_cast<T*>(ahead->tau.data()), const_cast<T*>(ahead->rho.data()));
  PackLearnOptions<T> predicted = options;
  predicted.damping = kNoDamping;
  kernels_->learn(learning, &predicting, group, predicted);
}

template <class T>
PackCall<T> PackEngine<T>::reading(const PackBeliefs<T>& beliefs, const PackData<T>& data,
                                   PackWorkspace<T>& workspace) const {
  alignas(64) static constexpr std::array<T, kPack> kNoDamping{};
  return {layers_,
          rule_,
          const_cast<T*>(beliefs.belief.tau.data()),
          const_cast<T*>(beliefs.belief.rho.data()),
          beliefs.least.data(),
          nullptr,
          nullptr,
          0,
          nullptr,
          nullptr,
          kNoDamping.data(),
          data,
          workspace};
}

template <class T>
void PackEngine<T>::judge(const PackBeliefs<T>& beliefs, const PackData<T>& data,
                          const PackGroup<T>& group, const PackLearnOptions<T>& options,
                          PackWorkspace<T>& workspace) const {
  check(options.damping.empty(), "nothing is stored that could be kept");
  const FlushTinyNumbers flush;
  kernels_->judge(reading(beliefs, data, workspace), group, options);
}

template <class T>
void PackEngine<T>::predict(const PackBeliefs<T>& beliefs, const PackData<T>& data,
                            std::span<const std::uint32_t> rows,
                            PackWorkspace<T>& workspace) const {
  const FlushTinyNumbers flush;
  kernels_->predict(reading(beliefs, data, workspace), rows);
}

template class PackEngine<float>;
template class PackEngine<double>;

}  // namespace postrider::internal
