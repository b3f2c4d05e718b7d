// Taking stored messages out of beliefs, what is new in beliefs as a message, and sums of messages.
#include "message/message-inl.h"
#include "sweep/arrays.h"

#if defined(POSTRIDER_SWEEP_MESSAGES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSTRIDER_SWEEP_MESSAGES_INL_H_
#undef POSTRIDER_SWEEP_MESSAGES_INL_H_
#else
#define POSTRIDER_SWEEP_MESSAGES_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {

template <class T>
size_t take_out_some(T* belief_tau, T* belief_rho, const T* prior_rho, T* tau, T* rho,
                     size_t weights) {
  using D = hn::ScalableTag<T>;
  using L = Lane<D>;
  size_t bounded = 0;
  for (size_t i = 0; i < weights; i += hn::Lanes(D())) {
    const L left = L::load(belief_rho + i) - L::load(rho + i);
    const L least = L::load(prior_rho + i);
    bounded += count(left < least);
    const Message<L> out{L::load(belief_tau + i) - L::load(tau + i), maximum(left, least)};
    out.tau.store(belief_tau + i);
    out.rho.store(belief_rho + i);
    out.tau.store(tau + i);
    out.rho.store(rho + i);
  }
  return bounded;
}

template <class T>
void difference_of_some(const T* belief_tau, const T* belief_rho, T* tau, T* rho, size_t weights) {
  using D = hn::ScalableTag<T>;
  using L = Lane<D>;
  for (size_t i = 0; i < weights; i += hn::Lanes(D())) {
    (L::load(belief_tau + i) - L::load(tau + i)).store(tau + i);
    (L::load(belief_rho + i) - L::load(rho + i)).store(rho + i);
  }
}

// Adds messages to sums in double; `weights` is a multiple of the padding.
template <class T>
void add_some(const T* values, double* sums, size_t weights) {
  using D = hn::ScalableTag<double>;
  const hn::Rebind<T, D> from;
  for (size_t i = 0; i < weights; i += hn::Lanes(D())) {
    if constexpr (std::same_as<T, double>)
      hn::StoreU(hn::Add(hn::LoadU(D(), sums + i), hn::LoadU(D(), values + i)), D(), sums + i);
    else
      hn::StoreU(hn::Add(hn::LoadU(D(), sums + i), hn::PromoteTo(D(), hn::LoadU(from, values + i))),
                 D(), sums + i);
  }
}

}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // POSTRIDER_SWEEP_MESSAGES_INL_H_
