#include "sweep/engine.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/check.h"
#include "sweep/call.h"
#include "sweep/flush.h"
#include "sweep/kernels.h"

namespace postrider {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 15;  // weights: 10 us

// Calls run(first, count) for chunks of all weights.
template <class Run>
void in_chunks(std::size_t weights, Workers* workers, Run&& run) {
  if (workers == nullptr || weights <= kChunk) return run(0, weights);
  workers->run((weights + kChunk - 1) / kChunk, [&](std::size_t chunk) {
    run(chunk * kChunk, std::min(kChunk, weights - chunk * kChunk));
  });
}

}  // namespace

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
      layers_,     layout_.layers(),   workspace.layers(), workspace.active(), workspace.all_rows(),
      rule_,       beliefs.tau.data(), beliefs.rho.data(), examples,           rows,
      predictions, options.workers};
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
                          predictions,
                          nullptr};
  const FlushTinyNumbers flush;
  kernels_->predict(call);
}

template <class T>
std::size_t SweepEngine<T>::take_out(WeightMessages<T>& beliefs, const WeightMessages<T>& prior,
                                     std::span<T> tau, std::span<T> rho, Workers* workers) const {
  std::atomic<std::size_t> bounded = 0;
  in_chunks(beliefs.size(), workers, [&](std::size_t first, std::size_t count) {
    bounded += kernels_->take_out(&beliefs.tau[first], &beliefs.rho[first], &prior.rho[first],
                                  &tau[first], &rho[first], count);
  });
  return bounded;
}

template <class T>
void SweepEngine<T>::difference(const WeightMessages<T>& beliefs, std::span<T> tau,
                                std::span<T> rho, Workers* workers) const {
  in_chunks(beliefs.size(), workers, [&](std::size_t first, std::size_t count) {
    kernels_->difference(&beliefs.tau[first], &beliefs.rho[first], &tau[first], &rho[first], count);
  });
}

template <class T>
void SweepEngine<T>::add(std::span<const T> values, double* sums) const {
  check(values.size() % kPadding == 0, "whole vectors");
  kernels_->add(values.data(), sums, values.size());
}

template class SweepEngine<float>;
template class SweepEngine<double>;

}  // namespace postrider
