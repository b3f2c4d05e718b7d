// Gaussian algebra on lanes: the same states as postrider::Gaussian, for any width and precision.
#include "math/normal-inl.h"

#if defined(POSTRIDER_MESSAGE_MESSAGE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSTRIDER_MESSAGE_MESSAGE_INL_H_
#undef POSTRIDER_MESSAGE_MESSAGE_INL_H_
#else
#define POSTRIDER_MESSAGE_MESSAGE_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {

// Natural parameters. Uniform: tau = rho = 0. Point mass: rho = infinity and tau is its value.
template <class L>
struct Message {
  L tau, rho;
};

// Mean and variance. Uniform: mean 0, variance infinity. Point mass: variance 0.
// Formulas that a point mass can enter are written in these, never through an infinite precision.
template <class L>
struct Moments {
  L mean, variance;
};

template <class L>
HWY_INLINE Message<L> uniform_message() {
  return {L(0), L(0)};
}
template <class L>
HWY_INLINE Mask<L> is_uniform(const Message<L>& m) {
  return m.rho == L(0);
}
template <class L>
HWY_INLINE Mask<L> is_point_mass(const Message<L>& m) {
  return m.rho > largest_finite<L>();
}
// Whether a quotient or a division-free formula has left a message: a positive, normal precision and
// a finite tau.
template <class L>
HWY_INLINE Mask<L> is_proper(const Message<L>& m) {
  return (m.rho >= smallest_normal<L>()) & (m.rho <= largest_finite<L>()) &
         (absolute(m.tau) <= largest_finite<L>());
}
template <class L>
HWY_INLINE Message<L> select(Mask<L> mask, const Message<L>& yes, const Message<L>& no) {
  return {select(mask, yes.tau, no.tau), select(mask, yes.rho, no.rho)};
}
template <class L>
HWY_INLINE Moments<L> select(Mask<L> mask, const Moments<L>& yes, const Moments<L>& no) {
  return {select(mask, yes.mean, no.mean), select(mask, yes.variance, no.variance)};
}

template <class L>
HWY_INLINE Moments<L> moments_of(const Message<L>& m) {
  const L variance = L(1) / m.rho;  // 0 for a point mass, infinity for the uniform message
  const L mean = select(is_point_mass(m), m.tau, m.tau * variance);
  // Infinite also for a precision below the normal numbers.
  return {select(absolute(variance) > largest_finite<L>(), L(0), mean), variance};
}

// The same where the message is known to be proper and neither form leaves the normal numbers: what
// a sweep over weights calls.
template <class L>
HWY_INLINE Moments<L> proper_moments(const Message<L>& m) {
  const L variance = L(1) / m.rho;
  return {m.tau * variance, variance};
}

// A message whose precision no normal number holds is uniform; one whose tau would overflow, or
// whose variance no normal number holds, is a point mass.
template <class L>
HWY_INLINE Message<L> message_of(const Moments<L>& m) {
  const L precision = L(1) / m.variance;
  const auto point = (m.variance < smallest_normal<L>()) |
                     (absolute(m.mean) > largest_finite<L>() * minimum(m.variance, L(1)));
  const auto nothing = m.variance > L(1) / smallest_normal<L>();
  const Message<L> proper{m.mean * precision, precision};
  return select(nothing, uniform_message<L>(),
                select(point, Message<L>{m.mean, infinity<L>()}, proper));
}

// A product that includes point masses is the first of them: that they agree is the caller's to
// see.
template <class L>
HWY_INLINE Message<L> product(const Message<L>& a, const Message<L>& b) {
  const Message<L> sum{a.tau + b.tau, a.rho + b.rho};
  return select(is_point_mass(a), a, select(is_point_mass(b), b, sum));
}

// Dividing a point mass by anything leaves it; the precision of a quotient may be negative.
template <class L>
HWY_INLINE Message<L> quotient(const Message<L>& a, const Message<L>& b) {
  const Message<L> difference{a.tau - b.tau, a.rho - b.rho};
  return select(is_point_mass(a), a, difference);
}

// log N(x; mean, variance); for variance 0, and one that no normal number holds, the density is 0
// or infinite.
template <class L>
inline L log_gaussian(L x, L mean, L variance) {
  const L gap = x - mean;
  const L exponent = select(gap == L(0), L(0), gap * (gap / variance));
  const L value = L(-0.5) * (exponent + logarithm(variance)) - L(kLogSqrtTwoPi);
  return select((variance < smallest_normal<L>()) & !(gap == L(0)), -infinity<L>(), value);
}

// log of the integral of a b, with proper messages as normalised densities, the uniform message as
// the constant 1, a point mass as a Dirac delta.
template <class L>
inline L log_overlap(const Message<L>& a, const Message<L>& b) {
  const Moments<L> p = moments_of(a), q = moments_of(b);
  const auto one_uniform = is_uniform(a) | is_uniform(b);
  const auto both_uniform = is_uniform(a) & is_uniform(b);
  const L variance = select(one_uniform, L(1), p.variance + q.variance);
  const L proper = log_gaussian(p.mean, q.mean, variance);
  return select(both_uniform, infinity<L>(), select(one_uniform, L(0), proper));
}

}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // POSTRIDER_MESSAGE_MESSAGE_INL_H_
