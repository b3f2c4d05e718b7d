#include "sweep/engine.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "sweep/call.h"
#include "sweep/flush.h"
#include "sweep/kernels.h"

namespace postrider {

template <class T>
SweepEngine<T>::SweepEngine(std::vector<SweepLayer> layers, Rule rule, SimdLevel level)
    : layers_(std::move(layers)),
      layout_(layers_),
      rule_(rule),
      kernels_(std::make_shared<const SweepKernels<T>>(sweep_kernels<T>(level))) {
  check(!layers_.empty(), "a network has a layer");
}

template <class T>
WeightMessages<T> SweepEngine<T>::beliefs() const {
  WeightMessages<T> out(layout_.size());
  std::ranges::fill(out.rho, T{1});
  return out;
}

template <class T>
void SweepEngine<T>::learn(WeightMessages<T>& beliefs, const Examples<T>& examples,
                           std::span<const std::uint32_t> rows, const LearnOptions<T>& options,
                           const Predictions<T>& predictions, Workspace<T>& workspace,
                           SweepRecord& record) const {
  check(rule_ == Rule::conditioned || options.block == 1, "direct messages go one by one");
  const SweepCall<T> call{
      layers_,    layout_.layers(),   workspace.layers(), workspace.active(), workspace.all_rows(),
      rule_,      beliefs.tau.data(), beliefs.rho.data(), examples,           rows,
      predictions};
  const FlushTinyNumbers flush;
  kernels_->learn(call, options, record);
}

template <class T>
void SweepEngine<T>::predict(const WeightMessages<T>& beliefs, const Examples<T>& examples,
                             std::span<const std::uint32_t> rows, const Predictions<T>& predictions,
                             Workspace<T>& workspace) const {
  // The forward pass only reads the beliefs.
  const SweepCall<T> call{layers_,
                          layout_.layers(),
                          workspace.layers(),
                          workspace.active(),
                          workspace.all_rows(),
                          rule_,
                          const_cast<T*>(beliefs.tau.data()),
                          const_cast<T*>(beliefs.rho.data()),
                          examples,
                          rows,
                          predictions};
  const FlushTinyNumbers flush;
  kernels_->predict(call);
}

template <class T>
std::size_t SweepEngine<T>::take_out(WeightMessages<T>& beliefs, const WeightMessages<T>& prior,
                                     std::span<const T> tau, std::span<const T> rho,
                                     WeightMessages<T>& cavity) const {
  return kernels_->take_out(beliefs, prior, tau.data(), rho.data(), cavity);
}

template <class T>
void SweepEngine<T>::difference(const WeightMessages<T>& beliefs, const WeightMessages<T>& cavity,
                                std::span<T> tau, std::span<T> rho) const {
  kernels_->difference(beliefs, cavity, tau.data(), rho.data());
}

template class SweepEngine<float>;
template class SweepEngine<double>;

}  // namespace postrider
