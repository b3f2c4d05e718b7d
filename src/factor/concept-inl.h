// What a factor of the library is: a struct with its parameters as members and
//
//   static constexpr std::string_view kName;            how make_factor and the documents call it
//   static FactorInfo describe();                       formula, edges, rules and claims
//   static F from(ParameterReader& parameters);         reads and checks its parameters
//   double evaluate(std::span<const double>) const;     log density, or g of a deterministic factor
//   template <class L> Sent<L> send(size_t edge, Rule rule, const Message<L>* in) const;
//
// and, where they are needed, describe_instance() for edges that depend on the parameters and
// kinks(edge, values) for kinks that depend on the other variables (both as in LibraryFactor).
//
// One file per factor holds all of it. `send` is a template over a lane (math/lane-inl.h),
// allocates nothing, and serves the scalar Factor interface, the batch kernels and the engines
// alike.
#include <span>
#include <vector>

#include "factor/parameters.h"
#include "factor/words.h"
#include "message/message-inl.h"

#if defined(POSTRIDER_FACTOR_CONCEPT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSTRIDER_FACTOR_CONCEPT_INL_H_
#undef POSTRIDER_FACTOR_CONCEPT_INL_H_
#else
#define POSTRIDER_FACTOR_CONCEPT_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {

// A message with the logarithm of its scale and the event (as a number, one per lane) that
// happened on the way. An engine that does not read the last two does not pay for them.
template <class L>
struct Sent {
  Message<L> message;
  L log_scale;
  L event;
};

template <class L>
HWY_INLINE L event_code(Event event) {
  return L(static_cast<double>(event));
}

template <class L>
HWY_INLINE Sent<L> select(Mask<L> mask, const Sent<L>& yes, const Sent<L>& no) {
  return {select(mask, yes.message, no.message), select(mask, yes.log_scale, no.log_scale),
          select(mask, yes.event, no.event)};
}

template <class L>
HWY_INLINE Sent<L> sent(const Message<L>& message, L log_scale = L(0)) {
  return {message, log_scale, L(0)};
}

// The uniform message, standing for the constant exp(log_scale).
template <class L>
HWY_INLINE Sent<L> sent_uniform(L log_scale = L(0), Event event = Event::none) {
  return {uniform_message<L>(), log_scale, event_code<L>(event)};
}

template <class L>
HWY_INLINE Sent<L> sent_moments(L mean, L variance) {
  const auto overflow = !(absolute(mean) <= largest_finite<L>());
  const Message<L> message = message_of(Moments<L>{mean, variance});
  return {select(overflow, uniform_message<L>(), message), L(0),
          select(overflow, event_code<L>(Event::overflowed), L(0))};
}

// A message in natural parameters, with its mean at hand: where they overflow, or the variable is
// `known`, it is the point mass at the mean; where the precision underflows, or not even the mean is
// finite, it is uniform, and the event says why.
template <class L>
HWY_INLINE Sent<L> settled(const Message<L>& natural, L mean, Mask<L> known, L log_scale) {
  const L largest = largest_finite<L>();
  const auto finite = (natural.rho <= largest) & (absolute(natural.tau) <= largest);
  const auto vanished = finite & (natural.rho < smallest_normal<L>()) & !known;
  const auto point = known | !finite;
  const auto lost = point & !(absolute(mean) <= largest);
  const Message<L> message = select(point, Message<L>{mean, infinity<L>()}, natural);
  Sent<L> out{message, log_scale, L(0)};
  out = select(vanished, sent_uniform<L>(log_scale, Event::vanished), out);
  return select(lost, sent_uniform<L>(log_scale, Event::overflowed), out);
}

// variance * factor, where exactly zero wins over infinity on either side.
template <class L>
HWY_INLINE L scaled(L variance, L factor) {
  return select((factor == L(0)) | (variance == L(0)), L(0), variance * factor);
}

}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // POSTRIDER_FACTOR_CONCEPT_INL_H_
