// Density:    f(z_1..z_K) = P(z_c + e_c > z_k + e_k for all k != c), e_k ~ N(0, noise) independent:
//             the largest of K noisy scores is that of the observed class c (multinomial probit).
// Messages:   tilted (see tilted-inl.h) by scores N(m_k, v_k). With s_k^2 = v_k + noise,
//             t_k = (u - m_k)/s_k, r_k = phi(t_k)/Phi(t_k) and w_k = r_k (r_k + t_k),
//
//               Z = integral of N(u; m_c, s_c^2) prod_{k != c} Phi(t_k) du,
//
//             and, with E and Var under the normalised integrand and h = sum_{k != c} r_k/s_k,
//
//               k != c:  g1_k = -E[r_k]/s_k,   g2_k = (E[w_k] - Var[r_k])/s_k^2,
//               c:       g1_c = E[h],          g2_c = 1/s_c^2 - Var[u]/s_c^4
//                                                   = E[sum w_k/s_k^2] - Var[h].
//
//             The last two are equal; each keeps its digits where the other cancels, and Var[u]
//             decides. f is log-concave (Prekopa), so 0 <= g2_k <= 1/s_k^2: messages are proper.
// Domain:     K >= 2 scores with finite means, v_k >= 0, noise > 0.
// Limits:     [limit: two] K = 2: Z = Phi((m_c - m_k)/sqrt(s_c^2 + s_k^2)), the probit of a gap.
//             [limit: certain] m_c far above all others: nothing left to say, g1 and g2 -> 0.
//             [limit: surprised] m_c far below one other k: both g2 -> 1/(s_c^2 + s_k^2).
// Reference:  Girolami, Rogers 2006 (multinomial probit); beyond the paper.
//
// Quadrature: the logarithm of the integrand is concave and its curvature falls with u, so that the
// sharpest detail lies on the left. Newton's method finds the mode and the two ends where kDepth
// nats are lost; the map u = left + range (e^(qy) - 1)/(e^q - 1), y from 0 to 1, makes the spacing
// grow from left to right as the curvature falls, and the trapezoid rule in y converges
// exponentially. The number of nodes grows like the logarithm of the ratio of scales.
#include <algorithm>
#include <span>

#include "factor/choice.h"
#include "math/normal-inl.h"

#if defined(POSTRIDER_FACTOR_CHOICE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSTRIDER_FACTOR_CHOICE_INL_H_
#undef POSTRIDER_FACTOR_CHOICE_INL_H_
#else
#define POSTRIDER_FACTOR_CHOICE_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {

// At the ends the integrand has fallen by e^-kDepth, give or take kSlack nats.
inline constexpr double kDepth = 26, kSlack = 1.5;
// So many deviations of a Gaussian take it there: sqrt(2 kDepth).
inline constexpr double kReach = 7.2;
// Distance of nodes in local deviations, 1/sqrt(curvature). A Gaussian integral then has a relative
// error of 2 exp(-2 pi^2/kSpacing^2).
inline constexpr double kSpacing = 0.8;
// The mode is needed to this share of a local deviation only: it places the ends.
inline constexpr double kModeError = 0.2;
inline constexpr int kMostSteps = 24;
// The least logarithm of the ratio of spacings, for which e^q - 1 keeps its digits.
inline constexpr double kLeastGrowth = 0.05;
// A rival this many deviations below the left end never wins: 1 - Phi is below half a digit.
inline constexpr double kOutOfReach = 8.3;
// Nodes come in eights, so that every instruction set of up to 512 bits takes the same ones.
inline constexpr size_t kNodeGroup = 8;
// Stands for a rival that is not there.
inline constexpr double kNobody = -1e12;

// One rival as seen from u: log Phi(t), phi(t)/Phi(t) and minus the derivative of the latter.
template <class L>
struct RivalAt {
  L log_below, hazard, w;
};

// As in truncated_normal, without what is not needed here.
template <class L>
HWY_INLINE RivalAt<L> rival_at(L t) {
  const L x = minimum(absolute(t), L(kFarthest));
  const Mills<L> at = mills(x);
  const L ratio = at.ratio(), density = normal_density(x);
  const auto right = t > L(0);
  const L mass = select(right, L(1) - density * ratio, ratio);
  const L hazard = select(right, density, L(1)) / mass;
  const L scaled = hazard * at.p;  // on the left the inverse of the flattened ratio
  const L left = minimum(t, L(0));
  const L outside = select(right, L(0), multiply_add(L(0.5) * left, left, L(kLogSqrtTwoPi)));
  return {logarithm(mass) - outside, hazard,
          select(right, hazard * (hazard + t), at.l1 * scaled * scaled)};
}

// The logarithm of the integrand, without the Gaussian's constant, its slope and its curvature.
struct Landscape {
  double height, slope, curvature;

  double std() const { return 1 / std::sqrt(curvature); }
};

using ChoiceTag = hn::ScalableTag<double>;
using ChoiceLane = Lane<ChoiceTag>;

class Choice {
 public:
  Choice(const ChoiceScores& scores, size_t chosen, ChoiceWork& work) : work_(work) {
    mean_ = scores.mean[chosen];
    variance_ = scores.variance[chosen] + scores.noise;
    gather_rivals(scores, chosen);
    find_range();
    keep_rivals_in_reach();
  }

  double log_probability() { return integrate<false>(); }

  // The probability, and what is said to every score.
  double messages(const ChoiceDerivatives& out) {
    const double log_z = integrate<true>();
    std::ranges::fill(out.g1, 0);
    std::ranges::fill(out.g2, 0);
    for (size_t k = 0; k < work_.place.size(); ++k) send_to_rival(k, out);
    return log_z;
  }

  // What is said to the score of the class itself; after messages().
  void send_to_chosen(double& g1, double& g2) const {
    const double left_open = spread(work_.node, expected(work_.node)) / variance_;
    g1 = expected(work_.pull);
    g2 = left_open < 0.5 ? (1 - left_open) / variance_
                         : expected(work_.bend) - spread(work_.pull, g1);
  }

 private:
  static size_t lanes() { return hn::Lanes(ChoiceTag()); }
  static size_t rounded_up(size_t count, size_t unit) { return (count + unit - 1) / unit * unit; }

  // Mean and variance, under the normalised integrand, of what is given at the nodes.
  double expected(std::span<const double> values) const {
    using L = ChoiceLane;
    L sum(0);
    for (size_t i = 0; i < nodes_; i += lanes())
      sum = multiply_add(L::load(&work_.weight[i]), L::load(&values[i]), sum);
    return sum_of_lanes(sum) / total_;
  }
  double spread(std::span<const double> values, double mean) const {
    using L = ChoiceLane;
    L sum(0);
    for (size_t i = 0; i < nodes_; i += lanes()) {
      const L gap = L::load(&values[i]) - L::all(mean);
      sum = multiply_add(L::load(&work_.weight[i]), gap * gap, sum);
    }
    return sum_of_lanes(sum) / total_;
  }

  void gather_rivals(const ChoiceScores& scores, size_t chosen) {
    const size_t rivals = scores.mean.size() - 1, padded = rounded_up(rivals, lanes());
    work_.mean.assign(padded, kNobody);
    work_.inverse.assign(padded, 1);
    work_.place.resize(rivals);
    for (size_t k = 0, to = 0; k < scores.mean.size(); ++k) {
      if (k == chosen) continue;
      work_.mean[to] = scores.mean[k];
      work_.inverse[to] = 1 / std::sqrt(scores.variance[k] + scores.noise);
      work_.place[to++] = static_cast<uint32_t>(k);
    }
  }

  // Lanes run across rivals.
  Landscape look(double u) const {
    using L = ChoiceLane;
    L height(0), slope(0), curvature(0);
    for (size_t k = 0; k < work_.mean.size(); k += lanes()) {
      const L inverse = L::load(&work_.inverse[k]);
      const RivalAt<L> at = rival_at((L::all(u) - L::load(&work_.mean[k])) * inverse);
      height = height + at.log_below;
      slope = multiply_add(at.hazard, inverse, slope);
      curvature = multiply_add(at.w, inverse * inverse, curvature);
    }
    const double gap = u - mean_;
    return {sum_of_lanes(height) - 0.5 * gap * gap / variance_,
            sum_of_lanes(slope) - gap / variance_, sum_of_lanes(curvature) + 1 / variance_};
  }

  // The slope is convex and falling, and positive at the class's mean: Newton's steps from there go
  // right and never beyond the mode.
  Landscape find_mode() {
    mode_ = mean_;
    Landscape at = look(mode_);
    for (int i = 0; i < kMostSteps; ++i) {
      if (at.slope * at.slope < kModeError * kModeError * at.curvature) break;
      mode_ += at.slope / at.curvature;
      at = look(mode_);
    }
    return at;
  }

  // From `u`, where the integrand is lower than `height`, to about the place where it is not. Steps
  // follow the local parabola, or its tangent where the parabola ends below the height.
  Landscape climb(double& u, double height) const {
    Landscape at = look(u);
    for (int i = 0; i < kMostSteps; ++i) {
      const double gap = height - at.height;
      if (std::abs(gap) < kSlack || at.slope == 0) break;
      const double inside = at.slope * at.slope - 2 * at.curvature * gap;
      const double root = inside > 0 ? std::sqrt(inside) : std::abs(at.slope);
      u += 2 * gap / (at.slope + std::copysign(root, at.slope));
      at = look(u);
    }
    return at;
  }

  void find_range() {
    const Landscape top = find_mode();
    height_ = top.height;
    left_ = mode_ - kReach * top.std();
    double right = mode_ + kReach * std::sqrt(variance_);
    const double steepest = climb(left_, height_ - kDepth).std();
    const double flattest = climb(right, height_ - kDepth).std();
    range_ = right - left_;
    // On the right an exponential tail may be shorter than its curvature tells.
    const double wide = std::min(flattest, range_ / kReach), narrow = std::min(steepest, wide);
    growth_ = std::max(std::log(wide / narrow), kLeastGrowth);
    const double deviations = range_ / narrow * growth_ / std::expm1(growth_);
    // The steepest detail may lie kReach of its deviations from the left end, where the spacing has
    // grown by this factor.
    const double grown = 1 + kReach * (wide - narrow) / range_;
    const double wanted = std::ceil(deviations * grown / kSpacing) + 1;
    nodes_ = rounded_up(static_cast<size_t>(std::min(wanted, double{ChoiceWork::kMostNodes})),
                        std::max(lanes(), kNodeGroup));
  }

  void keep_rivals_in_reach() {
    size_t kept = 0;
    for (size_t k = 0; k < work_.place.size(); ++k) {
      if ((left_ - work_.mean[k]) * work_.inverse[k] > kOutOfReach) continue;
      work_.mean[kept] = work_.mean[k];
      work_.inverse[kept] = work_.inverse[k];
      work_.place[kept++] = work_.place[k];
    }
    work_.place.resize(kept);
  }

  // Lanes run across nodes. Returns log Z; leaves the nodes' weights and, with kKeep, what the
  // expectations are taken of.
  template <bool kKeep>
  HWY_FLATTEN double integrate() {
    using L = ChoiceLane;
    work_.reserve(nodes_, kKeep ? work_.place.size() : 0);
    const double interval = 1.0 / static_cast<double>(nodes_ - 1);
    const double scale = range_ / std::expm1(growth_);
    L sum(0);
    for (size_t i = 0; i < nodes_; i += lanes()) {
      const L place = hn::Iota(ChoiceTag(), static_cast<double>(i));
      const L stretch = exponential(L::all(growth_ * interval) * place);
      const L u = multiply_add(L::all(scale), stretch - L(1), L::all(left_));
      const L gap = u - L::all(mean_);
      L height = L::all(-0.5 / variance_) * gap * gap - L::all(height_);
      L pull(0), bend(0);
      for (size_t k = 0; k < work_.place.size(); ++k) {
        const L inverse = L::all(work_.inverse[k]);
        const RivalAt<L> at = rival_at((u - L::all(work_.mean[k])) * inverse);
        height = height + at.log_below;
        if constexpr (kKeep) {
          pull = multiply_add(at.hazard, inverse, pull);
          bend = multiply_add(at.w, inverse * inverse, bend);
          at.hazard.store(&work_.hazard[k * nodes_ + i]);
          at.w.store(&work_.w[k * nodes_ + i]);
        }
      }
      const L weight = exponential(height) * stretch;
      sum = sum + weight;
      if constexpr (kKeep) {
        weight.store(&work_.weight[i]);
        u.store(&work_.node[i]);
        pull.store(&work_.pull[i]);
        bend.store(&work_.bend[i]);
      }
    }
    total_ = sum_of_lanes(sum);
    // What du is more than the weights hold, over the Gaussian's constant.
    const double unit = scale * growth_ * interval / std::sqrt(variance_);
    return height_ + std::log(total_ * unit) - kLogSqrtTwoPi;
  }

  void send_to_rival(size_t k, const ChoiceDerivatives& out) const {
    const std::span<const double> hazard(&work_.hazard[k * nodes_], nodes_);
    const double inverse = work_.inverse[k], mean = expected(hazard);
    const double bend = expected({&work_.w[k * nodes_], nodes_});
    out.g1[work_.place[k]] = -mean * inverse;
    out.g2[work_.place[k]] = (bend - spread(hazard, mean)) * inverse * inverse;
  }

  ChoiceWork& work_;
  double mean_, variance_;  // of the class's noisy score
  double mode_ = 0, height_ = 0, left_ = 0, range_ = 0, growth_ = 0, total_ = 0;
  size_t nodes_ = 0;
};

}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // POSTRIDER_FACTOR_CHOICE_INL_H_
