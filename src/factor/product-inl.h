// Density:    f(z, x, y) = delta(z - x y)
// Messages:   to z: mean = mean_x mean_y, variance = var_x (var_y + mean_y^2) + var_y mean_x^2.
//             to x (to y by symmetry), with N(mean_z, var_z) coming back:
//               direct       t = mean_y^2/(mean_y^2 + var_y),  d = var_z + (1 - t) mean_z^2,
//                            tau = t^2 mean_y mean_z/d,        rho = t^3 mean_y^2/d;
//               conditioned  d = var_z + var_y (mean_x^2 + var_x),
//                            tau = mean_y mean_z/d,            rho = mean_y^2/d:
//                            the statistically linearised factor, slope mean_y, offset 0.
// Domain:     all messages. The exact message to x has a tail like 1/|x| and is improper.
// Limits:     [limit: known_factor] var_y = 0: both rules give N(mean_z/y, var_z/y^2), exact.
//             [limit: zero_factor] mean_y = 0: both rules send the uniform message.
//             [limit: known_all] var_y = var_z = 0: the point mass at z/y.
//             [limit: proposition] direct equals the proposition's tau_y r tau_z/D, r^2/D.
// Reference:  the paper, Propositions 3.1 and 3.2 (direct, in moments: no power that overflows).
//             `conditioned` goes beyond it: it does not grow vague with mean_z as direct does.
#include "factor/linearised-inl.h"

#if defined(POSTRIDER_FACTOR_PRODUCT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSTRIDER_FACTOR_PRODUCT_INL_H_
#undef POSTRIDER_FACTOR_PRODUCT_INL_H_
#else
#define POSTRIDER_FACTOR_PRODUCT_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {

struct Product {
  enum Edge : size_t { z, x, y };

  static constexpr std::string_view kName = "product";

  static FactorInfo describe() {
    const std::vector<RuleInfo> backward{{Rule::conditioned, Claim::approximate, true},
                                         {Rule::direct, Claim::approximate, false}};
    return {std::string(kName),
            "z = x y",
            FactorKind::deterministic,
            {{"z", {{Rule::direct, Claim::moments, true}}, false},
             {"x", backward, true},
             {"y", backward, true}}};
  }

  static Product from(ParameterReader&) { return {}; }

  double evaluate(std::span<const double> values) const { return values[0] * values[1]; }

  template <class L>
  static HWY_INLINE Moments<L> forward(const Moments<L>& x, const Moments<L>& y) {
    return {x.mean * y.mean, scaled(x.variance, multiply_add(y.mean, y.mean, y.variance)) +
                                 scaled(y.variance, x.mean * x.mean)};
  }

  // t = mean_y^2/(mean_y^2 + var_y) and 1 - t, which depend on the other input alone.
  template <class L>
  struct Certainty {
    L t, rest;
  };
  template <class L>
  static HWY_INLINE Certainty<L> certainty(const Moments<L>& y) {
    const L inverse = L(1) / multiply_add(y.mean, y.mean, y.variance);
    const auto zero = y.mean == L(0);
    return {select(zero, L(0), y.mean * y.mean * inverse),
            select(zero | (y.variance > largest_finite<L>()), L(1), y.variance * inverse)};
  }

  // For 0 < d < infinity: what a sweep over weights calls.
  template <class L>
  static HWY_INLINE Gain<L> direct_core(L mean_y, L t, L mean_z, L d) {
    return {t * t * mean_y / d, mean_z, t * mean_y};
  }

  template <class L>
  static HWY_INLINE Sent<L> direct(const Moments<L>& y, const Moments<L>& z) {
    const Certainty<L> of_y = certainty(y);
    const L d = z.variance + scaled(z.mean * z.mean, of_y.rest);
    const auto silent = (of_y.t == L(0)) | (d > largest_finite<L>());
    // The mean is divided one after the other: the product of the two may underflow.
    const Sent<L> out = settled(direct_core(y.mean, of_y.t, z.mean, d).message(),
                                z.mean / of_y.t / y.mean, d == L(0), L(0));
    return select(silent, sent_uniform<L>(), out);
  }

  template <class L>
  static HWY_INLINE Sent<L> conditioned(const Moments<L>& x, const Moments<L>& y,
                                        const Moments<L>& z) {
    const L d = z.variance + scaled(multiply_add(x.mean, x.mean, x.variance), y.variance);
    return linearised(y.mean, z.mean, d);
  }

  // --- inside a sum s = sum_k x_k y_k, for finite messages: what a sweep over weights calls ---------
  //
  // The terms of the forward message are added up as they come. With N(mean_s, var_s) going forward
  // along s and N(mean_b, var_b) coming back, what comes back to one product z is
  //
  //   N(c0 + mean_x mean_y, c1 - var(z)),   c0 = mean_b - mean_s,   c1 = var_b + var_s.
  //
  // All but one term of var(z) cancels against the conditioned rule's own:
  //
  //   to x:  d = c1 - var_x mean_y^2,
  //
  // and in both rules d is at least var_b, which rounding must not break where one term dominates.

  // An input with mean^2 + variance, which is shared by all products it enters.
  template <class L>
  struct Operand {
    L mean, variance, square;
  };
  template <class L>
  static HWY_INLINE Operand<L> operand(const Moments<L>& x) {
    return {x.mean, x.variance, multiply_add(x.mean, x.mean, x.variance)};
  }

  template <bool kKnown, class L>
  static HWY_INLINE Moments<L> add_forward(Moments<L> sum, Moments<L> x, Operand<L> y) {
    const L variance = multiply_add(x.variance, y.square, sum.variance);
    const L mean = multiply_add(x.mean, y.mean, sum.mean);
    if constexpr (kKnown) return {mean, variance};
    return {mean, multiply_add(y.variance, x.mean * x.mean, variance)};
  }

  template <class L>
  struct SumBack {
    L c0, c1;
    L least;  // var_b
  };

  // What the mean of z would have to be; the same towards x and towards y.
  template <class L>
  static HWY_INLINE L gap_in_sum(L mean_x, L mean_y, SumBack<L> back) {
    return multiply_add(mean_x, mean_y, back.c0);
  }

  // To x, raised to a power.
  template <class L>
  static HWY_INLINE Gain<L> conditioned_in_sum(L variance_x, L mean_y, L gap, SumBack<L> back,
                                               L powered_mean_y) {
    const L d = maximum(multiply_subtract(variance_x, mean_y * mean_y, back.c1), back.least);
    return linearised_core(mean_y, gap, d, powered_mean_y);
  }

  // To x = N(tau/rho, 1/rho), whose moments are not needed: with p = 1/c1 and y the mean of y,
  //
  //   gap/d = (p c0 rho + p y tau)/(rho - p y^2),   1/d = p rho/(rho - p y^2).
  template <class L>
  struct ScaledSumBack {
    L shift, precision, least;  // c0, 1 and var_b, over c1
  };
  template <class L>
  static HWY_INLINE ScaledSumBack<L> scaled_back(SumBack<L> back) {
    const L precision = L(1) / back.c1;
    return {back.c0 * precision, precision, back.least * precision};
  }
  template <class L>
  static HWY_INLINE Gain<L> conditioned_in_sum(const Message<L>& x, L mean_y, ScaledSumBack<L> back,
                                               L powered_mean_y) {
    const L share = back.precision * mean_y;
    const L left = maximum(multiply_subtract(share, mean_y, x.rho), back.least * x.rho);
    return {powered_mean_y / left, multiply_add(share, x.tau, back.shift * x.rho), share * x.rho};
  }

  // --- inside a sum, for several sums that x enters from one snapshot ----------------------------------
  //
  // Only what all messages to x add up to is needed, and what they share can wait: with
  //
  //   share = sum var_x mean_y^2/d,   shift = sum mean_y c0/d
  //
  // over the sums, they are rho_x share and tau_x share + shift, since mean_x rho_x = tau_x. Where one
  // x meets many y in one sum each, as an input meets weights, rho = sum mean_y^2/d and shift alike.

  template <class L>
  struct Shares {
    L share, shift;

    // The belief with all messages, raised to a power.
    HWY_INLINE Message<L> times(Message<L> belief, L power) const {
      const L grown = power * share;
      return {multiply_add(belief.tau, grown, multiply_add(power, shift, belief.tau)),
              multiply_add(belief.rho, grown, belief.rho)};
    }
  };

  // Adds one sum: square_y is mean_y^2.
  template <class L>
  static HWY_INLINE Shares<L> add_share(Shares<L> to, L variance_x, L mean_y, L square_y,
                                        SumBack<L> back) {
    const L term = variance_x * square_y;
    const L inverse = L(1) / maximum(back.c1 - term, back.least);
    return {multiply_add(inverse, term, to.share),
            multiply_add(inverse * mean_y, back.c0, to.shift)};
  }
  // To one of many y: rho and shift.
  template <class L>
  static HWY_INLINE Shares<L> add_precision(Shares<L> to, L variance_x, L mean_y, L square_y,
                                            SumBack<L> back) {
    const L gain = mean_y / maximum(multiply_subtract(variance_x, square_y, back.c1), back.least);
    return {multiply_add(gain, mean_y, to.share), multiply_add(gain, back.c0, to.shift)};
  }

  // Where a term is a small part q = var_x mean_y^2/c1 of its sum, 1/d = (1/c1)/(1 - q) needs no
  // reciprocal but that of c1, which all terms share: 1/(1 - q) is a cubic, with a relative error of at
  // most 1.4e-7 for 0 <= q <= 1/16 (Chebyshev). And d is then far above var_b, or next to c1.
  static constexpr double kSmallPart = 1.0 / 16;

  template <class L>
  struct QuickBack {
    L precision, shift;  // 1/c1 and c0/c1
  };
  template <class L>
  static HWY_INLINE L inverse_of_rest(L q) {
    constexpr double kCubic[] = {0.9999998645074757, 1.0000692366798314, 0.9945194628913752,
                                 1.1365936718758574};
    const L high = multiply_add(q, L(kCubic[3]), L(kCubic[2]));
    return multiply_add(q, multiply_add(q, high, L(kCubic[1])), L(kCubic[0]));
  }
  template <class L>
  static HWY_INLINE Shares<L> add_small_share(Shares<L> to, L variance_x, L mean_y, L square_y,
                                              QuickBack<L> back) {
    const L q = variance_x * back.precision * square_y;
    const L inverse = inverse_of_rest(q);
    return {multiply_add(q, inverse, to.share),
            multiply_add(inverse * back.shift, mean_y, to.shift)};
  }
  template <class L>
  static HWY_INLINE Shares<L> add_small_precision(Shares<L> to, L variance_x, L mean_y, L square_y,
                                                  QuickBack<L> back) {
    const L precision = square_y * back.precision;
    const L inverse = inverse_of_rest(variance_x * precision);
    return {multiply_add(precision, inverse, to.share),
            multiply_add(mean_y * back.shift, inverse, to.shift)};
  }

  template <class L>
  static HWY_INLINE Gain<L> direct_in_sum(Moments<L> x, Operand<L> y, L gap, SumBack<L> back,
                                          Certainty<L> of_y) {
    const Moments<L> forward_z = add_forward<false>(Moments<L>{L(0), L(0)}, x, y);
    const L var_z = maximum(back.c1 - forward_z.variance, back.least);
    return direct_core(y.mean, of_y.t, gap, multiply_add(gap * gap, of_y.rest, var_z));
  }

  template <class L>
  HWY_INLINE Sent<L> send(size_t edge, Rule rule, const Message<L>* in) const {
    if (edge == z) {
      const Moments<L> out = forward(moments_of(in[x]), moments_of(in[y]));
      return sent_moments(out.mean, out.variance);
    }
    const Moments<L> self = moments_of(in[edge]), other = moments_of(in[edge == x ? y : x]);
    const Moments<L> result = moments_of(in[z]);
    return rule == Rule::direct ? direct(other, result) : conditioned(self, other, result);
  }
};

}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // POSTRIDER_FACTOR_PRODUCT_INL_H_
