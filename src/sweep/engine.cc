#include "sweep/engine.h"

#include "base/check.h"
#include "sweep/call.h"
#include "sweep/flush.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sweep/engine.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target: this file is compiled once per target.
#include "math/dispatch.h"
#include "sweep/pass-inl.h"

HWY_BEFORE_NAMESPACE();
namespace postrider::HWY_NAMESPACE {
namespace {

void learn_floats(const SweepCall<float>& call, const LearnOptions<float>& options,
                  SweepRecord& record) {
  learn_rows(call, options, record);
}
void learn_doubles(const SweepCall<double>& call, const LearnOptions<double>& options,
                   SweepRecord& record) {
  learn_rows(call, options, record);
}
void predict_floats(const SweepCall<float>& call) { predict_rows(call); }
void predict_doubles(const SweepCall<double>& call) { predict_rows(call); }

template <class T>
size_t take_out_all(WeightMessages<T>& beliefs, const WeightMessages<T>& prior, const T* tau,
                    const T* rho, WeightMessages<T>& cavity) {
  using D = hn::ScalableTag<T>;
  using L = Lane<D>;
  size_t bounded = 0;
  for (size_t i = 0; i < beliefs.size(); i += hn::Lanes(D())) {
    const L left = L::load(&beliefs.rho[i]) - L::load(rho + i);
    const L least = L::load(&prior.rho[i]);
    bounded += count(left < least);
    const Message<L> out{L::load(&beliefs.tau[i]) - L::load(tau + i), maximum(left, least)};
    out.tau.store(&beliefs.tau[i]);
    out.rho.store(&beliefs.rho[i]);
    out.tau.store(&cavity.tau[i]);
    out.rho.store(&cavity.rho[i]);
  }
  return bounded;
}

template <class T>
void difference_all(const WeightMessages<T>& beliefs, const WeightMessages<T>& cavity, T* tau,
                    T* rho) {
  using D = hn::ScalableTag<T>;
  using L = Lane<D>;
  for (size_t i = 0; i < beliefs.size(); i += hn::Lanes(D())) {
    (L::load(&beliefs.tau[i]) - L::load(&cavity.tau[i])).store(tau + i);
    (L::load(&beliefs.rho[i]) - L::load(&cavity.rho[i])).store(rho + i);
  }
}

size_t take_out_floats(WeightMessages<float>& beliefs, const WeightMessages<float>& prior,
                       const float* tau, const float* rho, WeightMessages<float>& cavity) {
  return take_out_all(beliefs, prior, tau, rho, cavity);
}
size_t take_out_doubles(WeightMessages<double>& beliefs, const WeightMessages<double>& prior,
                        const double* tau, const double* rho, WeightMessages<double>& cavity) {
  return take_out_all(beliefs, prior, tau, rho, cavity);
}
void difference_floats(const WeightMessages<float>& beliefs, const WeightMessages<float>& cavity,
                       float* tau, float* rho) {
  difference_all(beliefs, cavity, tau, rho);
}
void difference_doubles(const WeightMessages<double>& beliefs, const WeightMessages<double>& cavity,
                        double* tau, double* rho) {
  difference_all(beliefs, cavity, tau, rho);
}

}  // namespace
}  // namespace postrider::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace postrider {
namespace {

HWY_EXPORT(learn_floats);
HWY_EXPORT(learn_doubles);
HWY_EXPORT(predict_floats);
HWY_EXPORT(predict_doubles);
HWY_EXPORT(take_out_floats);
HWY_EXPORT(take_out_doubles);
HWY_EXPORT(difference_floats);
HWY_EXPORT(difference_doubles);

template <class T>
struct Kernels;
template <>
struct Kernels<float> {
  static auto learn(SimdLevel level) { return dispatched(HWY_DISPATCH_TABLE(learn_floats), level); }
  static auto predict(SimdLevel level) {
    return dispatched(HWY_DISPATCH_TABLE(predict_floats), level);
  }
  static auto take_out(SimdLevel level) {
    return dispatched(HWY_DISPATCH_TABLE(take_out_floats), level);
  }
  static auto difference(SimdLevel level) {
    return dispatched(HWY_DISPATCH_TABLE(difference_floats), level);
  }
};
template <>
struct Kernels<double> {
  static auto learn(SimdLevel level) {
    return dispatched(HWY_DISPATCH_TABLE(learn_doubles), level);
  }
  static auto predict(SimdLevel level) {
    return dispatched(HWY_DISPATCH_TABLE(predict_doubles), level);
  }
  static auto take_out(SimdLevel level) {
    return dispatched(HWY_DISPATCH_TABLE(take_out_doubles), level);
  }
  static auto difference(SimdLevel level) {
    return dispatched(HWY_DISPATCH_TABLE(difference_doubles), level);
  }
};

}  // namespace

template <class T>
SweepEngine<T>::SweepEngine(std::vector<SweepLayer> layers, Rule rule, SimdLevel level)
    : layers_(std::move(layers)), layout_(layers_), rule_(rule), level_(level) {
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
  Kernels<T>::learn(level_)(call, options, record);
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
  Kernels<T>::predict(level_)(call);
}

template <class T>
std::size_t SweepEngine<T>::take_out(WeightMessages<T>& beliefs, const WeightMessages<T>& prior,
                                     std::span<const T> tau, std::span<const T> rho,
                                     WeightMessages<T>& cavity) const {
  return Kernels<T>::take_out(level_)(beliefs, prior, tau.data(), rho.data(), cavity);
}

template <class T>
void SweepEngine<T>::difference(const WeightMessages<T>& beliefs, const WeightMessages<T>& cavity,
                                std::span<T> tau, std::span<T> rho) const {
  Kernels<T>::difference(level_)(beliefs, cavity, tau.data(), rho.data());
}

template class SweepEngine<float>;
template class SweepEngine<double>;

}  // namespace postrider
#endif  // HWY_ONCE
