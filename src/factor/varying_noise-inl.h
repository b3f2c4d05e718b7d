// Density:    f(y, x, g) = N(y; x, scale exp(g))
// Messages:   to x and to g, by tilting (tilted-inl.h), given N(m, v) at x, N(m_g, v_g) at g and a
//             known y. With r = y - m, s(g) = v + scale exp(g),
//
//               Z = integral of N(g; m_g, v_g) N(r; 0, s(g)) dg,
//
//             and E, Var the moments of g under the normalised integrand:
//               x:  g1 = E[r/s],            g2 = E[1/s] - Var[r/s],
//               g:  g1 = (E[g] - m_g)/v_g,  g2 = (1 - Var[g]/v_g)/v_g.
//             The integral is one-dimensional whatever x is.
// Domain:     v >= 0, v_g > 0, scale > 0.
// Limits:     [limit: known_noise] v_g -> 0: gaussian_likelihood with variance scale exp(m_g).
//             [limit: vague] v much above scale exp(g): nothing is said about g.
// Guard:      Z is not log-concave: after a surprise, r^2 much above s, either g2 may be negative. It
//             is then raised to a share of its mean over y, E[1/s] or E[(scale exp(g)/s)^2]/2, which
//             keeps the belief's mean where tilting puts it and its variance below what it was.
//             Predicted noise is kept within exp(+-100) of the scale, far beyond what rows near the
//             data give, so that it is a number for any row.
// Reference:  beyond the paper.
//
// Quadrature: a lane is one row of one network. The trapezoid rule in t = (g - m_g)/sqrt(v_g), on a grid
// of each lane's own, so that its result does not depend on its neighbours. The integrand is a bell
// times a likelihood that is analytic within pi of the real line in g: equal steps converge
// exponentially, where they are short against both. The nodes being equally spaced, their noises are a
// geometric sequence.
//
// How far the likelihood can lift a node above the mean's is known beforehand: with q = r^2/s(m_g), by
// at most (q - 1 - log q)/2 nats. Where that is little, the bell tells where the mass lies. Else, after a
// surprise, it may lie far above, or in two places: a coarse grid finds it.
//
// Accuracy: 1e-7, absolute for log Z (relative above 1), relative for E[1/s], and for the others in units
// of what belongs to them (x: E[1/s]; g: v_g), for |r| up to 30 deviations, v_g from 1e-6 to 4 and v
// from 1e-6 to 1e6 times scale exp(m_g).
#include "math/exponential-inl.h"

#if defined(POSTRIDER_FACTOR_VARYING_NOISE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSTRIDER_FACTOR_VARYING_NOISE_INL_H_
#undef POSTRIDER_FACTOR_VARYING_NOISE_INL_H_
#else
#define POSTRIDER_FACTOR_VARYING_NOISE_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {

template <class L>
struct VaryingNoiseRow {
  L residual, variance, log_mean, log_variance, scale;
};

template <class L>
struct VaryingNoiseFound {
  L log_z, x_g1, x_g2, log_g1, log_g2, scale_slope;
  L guarded;  // how many of the two second derivatives
};

namespace varying_noise {

// The longest step, in deviations of g and in g.
inline constexpr double kStep = 0.8, kStepOfLog = 0.32;
// The ends of the bell, in its deviations. Expectations of 1/s lean to the left, by the more the
// further s goes in a deviation.
inline constexpr double kLeft = 5.8, kLeftPerDeviation = 1.2, kRight = 6.5;
// A lift by more than this many nats is a surprise; it takes q above this, the root of
// q - 1 - log q = 2 kMostLift.
inline constexpr double kMostLift = 4, kLeastSurprise = 11.4;
// Steps in g would be too many; the mass is looked for as after a surprise.
inline constexpr double kMostDeviation = 2;

// The search after a surprise: as long as its nodes are further apart than kCoarse, the window shrinks to
// the part that lies within kDepth nats of the top.
inline constexpr int kMostRounds = 3;
inline constexpr size_t kCoarseNodes = 32;
inline constexpr double kCoarse = 0.5, kDepth = 24;
// Deviations of g within which a lift counts, far above what surprises of the stated range reach.
inline constexpr double kFarthestLift = 30;
// Steps in deviations of a peak that a surprise has made at t, which are (1 + t sqrt(v_g))^(-1/2).
inline constexpr double kStepOfPeak = 0.85;
inline constexpr double kMostIntervals = 160;
// exp of it is far from the largest number.
inline constexpr double kMostExponent = 300;

inline constexpr double kLeastShare = 0.25;  // see Guard

// Nodes at first + step k, k = 0 to last; exponents are taken from `reference`.
template <class L>
struct Grid {
  L first, step, last, reference;
};

template <class L, class M>
HWY_INLINE Grid<L> chosen(M mask, const Grid<L>& yes, const Grid<L>& no) {
  return {select(mask, yes.first, no.first), select(mask, yes.step, no.step),
          select(mask, yes.last, no.last), select(mask, yes.reference, no.reference)};
}

template <class L>
class Integral {
 public:
  HWY_INLINE explicit Integral(const VaryingNoiseRow<L>& row)
      : row_(row),
        deviation_(square_root(row.log_variance)),
        squared_(row.residual * row.residual) {
    const L noise = row.scale * exponential(row.log_mean), total = row.variance + noise;
    const L surprise = squared_ / total;
    grid_ = grid_over(left_end(), L(kRight), longest_step(), L(0.5) * surprise);
    const auto suspicious = (surprise > L(kLeastSurprise)) | (deviation_ > L(kMostDeviation));
    if (any(suspicious)) follow(suspicious, noise, total);
  }

  HWY_INLINE L log_z() const {
    L sum(0);
    visit([&](const Node& node, L weight) HWY_ATTR {
      (void)node;
      sum = sum + weight;
    });
    return log_z_of(sum);
  }

  HWY_INLINE VaryingNoiseFound<L> derivatives() const {
    L sum(0), inverse(0), inverse_squares(0), shift(0), shift_squares(0), shares(0), slope(0);
    // Moments of g are taken from m_g, in deviations, so that nothing cancels.
    visit([&](const Node& node, L weight) HWY_ATTR {
      const L of_inverse = weight * node.inverse, of_t = weight * node.t;
      const L share = node.noise * node.inverse, of_share = weight * share;
      sum = sum + weight;
      inverse = inverse + of_inverse;
      inverse_squares = multiply_add(of_inverse, node.inverse, inverse_squares);
      shift = shift + of_t;
      shift_squares = multiply_add(of_t, node.t, shift_squares);
      shares = multiply_add(of_share, share, shares);
      slope = multiply_add(of_share, node.surprise - L(1), slope);
    });
    const L whole = L(1) / sum;
    inverse = inverse * whole;
    shift = shift * whole;
    VaryingNoiseFound<L> out;
    out.log_z = log_z_of(sum);
    out.scale_slope = L(0.5) * slope * whole;
    out.guarded = L(0);
    out.x_g1 = row_.residual * inverse;
    out.x_g2 = guarded(inverse - squared_ * (inverse_squares * whole - inverse * inverse),
                       L(kLeastShare) * inverse, out.guarded);
    out.log_g1 = shift / deviation_;
    const L information = L(0.5) * shares * whole;
    out.log_g2 =
        guarded((L(1) - (shift_squares * whole - shift * shift)) / row_.log_variance,
                L(kLeastShare) * information / multiply_add(row_.log_variance, information, L(1)),
                out.guarded);
    return out;
  }

 private:
  struct Node {
    L t, noise, inverse, surprise;  // scale exp(g), 1/s, r^2/s

    // The logarithm of the integrand without s^(-1/2).
    HWY_INLINE L exponent() const { return L(-0.5) * multiply_add(t, t, surprise); }
  };

  // Goes through equally spaced nodes.
  class Walk {
   public:
    HWY_INLINE Walk(const Integral& of, L first, L step)
        : of_(of),
          first_(first),
          step_(step),
          noise_(of.row_.scale * exponential(multiply_add(of.deviation_, first, of.row_.log_mean))),
          ratio_(exponential(of.deviation_ * step)) {}

    HWY_INLINE Node next() {
      const L inverse = L(1) / (of_.row_.variance + noise_);
      const Node node{multiply_add(step_, place_, first_), noise_, inverse, of_.squared_ * inverse};
      place_ = place_ + L(1);
      noise_ = noise_ * ratio_;
      return node;
    }
    HWY_INLINE L place() const { return place_; }

   private:
    const Integral& of_;
    L first_, step_, noise_, ratio_, place_ = L(0);
  };

  HWY_INLINE L left_end() const {
    return -multiply_add(deviation_, L(kLeftPerDeviation), L(kLeft));
  }

  HWY_INLINE L longest_step() const { return minimum(L(kStep), L(kStepOfLog) / deviation_); }

  static HWY_INLINE Grid<L> grid_over(L first, L end, L longest, L reference) {
    const L wanted = nearest_integer((end - first) / longest + L(0.5));
    // Also bounded where it is no number, and where a garbled variance makes it negative.
    const L last = select(wanted <= L(kMostIntervals), maximum(wanted, L(1)), L(kMostIntervals));
    return {first, (end - first) / last, last, reference};
  }

  // Calls see(node, weight) for all nodes. A lane whose grid has ended sees weights of zero.
  template <class See>
  HWY_INLINE void visit(See see) const {
    Walk walk(*this, grid_.first, grid_.step);
    const auto count = static_cast<size_t>(largest_of_lanes(grid_.last)) + 1;
    for (size_t k = 0; k < count; ++k) {
      const auto inside = walk.place() <= grid_.last;
      const Node node = walk.next();
      const L weight = exponential(grid_.reference + node.exponent()) * square_root(node.inverse);
      see(node, select(inside, weight, L(0)));
    }
  }

  HWY_INLINE L log_z_of(L sum) const {
    // Both densities lack 1/sqrt(2 pi).
    return logarithm(sum * grid_.step) - grid_.reference - L(1.8378770664093454836);  // log(2 pi)
  }

  static HWY_INLINE L guarded(L g2, L least, L& count) {
    const auto fine = g2 >= least;
    count = count + select(fine, L(0), L(1));
    return select(fine, g2, least);
  }

  // A grid over where the mass is, for those of the suspicious lanes that need it.
  template <class M>
  void follow(M suspicious, L noise, L total) {
    const L highest = row_.variance + noise * exponential(L(kFarthestLift) * deviation_);
    const L peak = minimum(maximum(squared_, total), highest);
    const L lift = L(0.5) * (squared_ / total - squared_ / peak - logarithm(peak / total));
    const auto surprised = suspicious & ((lift > L(kMostLift)) | (deviation_ > L(kMostDeviation)));
    if (any(surprised)) grid_ = chosen(surprised, searched(noise, total), grid_);
  }

  Grid<L> searched(L noise, L total) const {
    // Above the second of these places the likelihood falls; above the first the bell has fallen by more
    // than the likelihood can lift.
    const L surprise = maximum(squared_ / total, L(1));
    const L bell = square_root(surprise - L(1) - logarithm(surprise) + L(2 * kDepth));
    const L fall =
        maximum(logarithm(maximum(squared_ / noise, L(1))) / deviation_, L(0)) + L(kRight);
    Coarse window{left_end(), L(0), L(0.5) * squared_ / total};
    window.step = (minimum(bell, fall) - window.first) / L(kCoarseNodes - 1);
    auto coarse = (window.step > L(kCoarse)) | (window.reference > L(kMostExponent));
    for (int round = 0; round < kMostRounds && any(coarse); ++round) {
      window = narrowed(coarse, window);
      coarse = window.step > L(kCoarse);
    }
    const L end = multiply_add(window.step, L(kCoarseNodes - 1), window.first);
    const L peak = square_root(multiply_add(deviation_, maximum(end, L(0)), L(1)));
    return grid_over(window.first, end, minimum(longest_step(), L(kStepOfPeak) / peak),
                     window.reference);
  }

  // Nodes at first + step k, k < kCoarseNodes.
  struct Coarse {
    L first, step, reference;
  };

  // A coarse grid over the part of the window that matters, in lanes of the mask.
  template <class M>
  Coarse narrowed(M mask, const Coarse& window) const {
    L heights[kCoarseNodes];
    L top = -infinity<L>(), exponent(0);
    Walk walk(*this, window.first, window.step);
    for (L& height : heights) {
      const Node node = walk.next();
      height = multiply_add(L(0.5), logarithm(node.inverse), node.exponent());
      exponent = select(height > top, node.exponent(), exponent);
      top = maximum(height, top);
    }
    L left(kCoarseNodes), right(0);
    for (size_t k = 0; k < kCoarseNodes; ++k) {
      const L place(static_cast<double>(k));
      const auto matters = heights[k] > top - L(kDepth);
      left = select(matters, minimum(left, place), left);
      right = select(matters, place, right);
    }
    left = maximum(left - L(1), L(0));
    right = minimum(right + L(1), L(kCoarseNodes - 1));
    return {select(mask, multiply_add(window.step, left, window.first), window.first),
            select(mask, window.step * ((right - left) / L(kCoarseNodes - 1)), window.step),
            select(mask, -exponent, window.reference)};
  }

  VaryingNoiseRow<L> row_;
  L deviation_, squared_;
  Grid<L> grid_;
};

}  // namespace varying_noise

template <class L>
HWY_INLINE VaryingNoiseFound<L> varying_noise_found(const VaryingNoiseRow<L>& row) {
  return varying_noise::Integral<L>(row).derivatives();
}

template <class L>
HWY_INLINE L varying_noise_log_z(const VaryingNoiseRow<L>& row) {
  return varying_noise::Integral<L>(row).log_z();
}

}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // POSTRIDER_FACTOR_VARYING_NOISE_INL_H_
