// Taking stored messages out of beliefs, and what is new in beliefs as a message.
#include "message/message-inl.h"
#include "sweep/arrays.h"

#if defined(POSTRIDER_SWEEP_MESSAGES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSTRIDER_SWEEP_MESSAGES_INL_H_
#undef POSTRIDER_SWEEP_MESSAGES_INL_H_
#else
#define POSTRIDER_SWEEP_MESSAGES_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace postrider::HWY_NAMESPACE {

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

}  // namespace postrider::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // POSTRIDER_SWEEP_MESSAGES_INL_H_
