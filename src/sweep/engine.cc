#include "sweep/engine.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/check.h"
#include "sweep/call.h"
#include "sweep/flush.h"
#include "sweep/kernels.h"

namespace postrider::internal {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 15;  // weights: 10 us

// Calls run(first, count) for chunks of this size.
template <class Run>
void in_chunks(std::size_t all, std::size_t chunk, Workers* workers, Run&& run) {
  if (workers == nullptr || all <= chunk) return run(std::size_t{0}, all);
  workers->run((all + chunk - 1) / chunk, [&](std::size_t number) {
    run(number * chunk, std::min(chunk, all - number * chunk));
  });
}

// Calls run(place among the weights, place in the message, count) for all that a message is about.
template <class Run>
void in_runs(const TouchedWeights& touched, Workers* workers, Run&& run) {
  const MessageShape& shape = touched.shape;
  const std::size_t others = touched.is_all ? shape.all() : shape.others;
  const std::size_t place = shape.all() - others, place_in_message = touched.size() - others;
  if (!touched.is_all)
    in_chunks(touched.inputs.size(), std::max<std::size_t>(1, kChunk / shape.width), workers,
              [&](std::size_t first, std::size_t count) {
                touched.for_each_run_of_inputs(first, first + count, run);
              });
  in_chunks(others, kChunk, workers, [&](std::size_t first, std::size_t count) {
    run(place + first, place_in_message + first, count);
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
MessageShape SweepEngine<T>::message_shape() const {
  const LayerLayout& first = layout_.layers().front();
  if (!first.units_across) return MessageShape::of_all(layout_.size());
  return {1, first.rows, first.stride, layout_.size() - first.size()};
}

template <class T>
WeightMessages<T> SweepEngine<T>::beliefs() const {
  WeightMessages<T> out(layout_.size());
  std::ranges::fill(out.rho, T{1});
  return out;
}

template <class T>
void SweepEngine<T>::learn(WeightMessages<T>& beliefs, const ExamplesView<T>& examples,
                           std::span<const std::uint32_t> rows, const SweepOptions<T>& options,
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
void SweepEngine<T>::predict(const WeightMessages<T>& beliefs, const ExamplesView<T>& examples,
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
                                     std::span<T> tau, std::span<T> rho,
                                     const TouchedWeights& touched, Workers* workers) const {
  check(tau.size() == touched.size() && rho.size() == touched.size(),
        "a message has a number for each weight it is about");
  std::atomic<std::size_t> bounded = 0;
  in_runs(touched, workers, [&](std::size_t at, std::size_t in_message, std::size_t count) {
    const std::size_t broken =
        kernels_->take_out(&beliefs.tau[at], &beliefs.rho[at], &prior.rho[at], &tau[in_message],
                           &rho[in_message], count);
    if (broken > 0) bounded += broken;
  });
  return bounded;
}

template <class T>
void SweepEngine<T>::difference(const WeightMessages<T>& beliefs, std::span<T> tau,
                                std::span<T> rho, const TouchedWeights& touched,
                                Workers* workers) const {
  check(tau.size() == touched.size() && rho.size() == touched.size(),
        "a message has a number for each weight it is about");
  in_runs(touched, workers, [&](std::size_t at, std::size_t in_message, std::size_t count) {
    kernels_->difference(&beliefs.tau[at], &beliefs.rho[at], &tau[in_message], &rho[in_message],
                         count);
  });
}

template <class T>
void SweepEngine<T>::add(std::span<const T> values, double* sums) const {
  check(values.size() % kPadding == 0, "whole vectors");
  kernels_->add(values.data(), sums, values.size());
}

template class SweepEngine<float>;
template class SweepEngine<double>;

}  // namespace postrider::internal
