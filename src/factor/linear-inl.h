// Density:    f(z, x_1, ..., x_n) = delta(z - sum_i weight_i x_i)
// Messages:   to z:   N(sum_i weight_i mean_i, sum_i weight_i^2 variance_i). Exact.
//             to x_j: N((mean_z - sum_{i != j} weight_i mean_i)/weight_j,
//                       (variance_z + sum_{i != j} weight_i^2 variance_i)/weight_j^2). Exact.
// Domain:     any number of inputs, finite weights; a weight of 0 takes its input out.
// Limits:     [limit: zero_weight] weight_j = 0: the message to x_j is uniform.
//             [limit: known] all others known: a point mass.
//             [limit: uniform_input] one other input unknown: the message is uniform.
// Reference:  the paper, Section 4.1 (sum factor) and the algorithm's deconvolution step.
#include <cmath>

#include "factor/linearised-inl.h"
#include "postrider/error.h"

#if defined(POSTRIDER_FACTOR_LINEAR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSTRIDER_FACTOR_LINEAR_INL_H_
#undef POSTRIDER_FACTOR_LINEAR_INL_H_
#else
#define POSTRIDER_FACTOR_LINEAR_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {

struct Linear {
  enum Edge : size_t { z, first_input };

  std::vector<double> weights;

  static constexpr std::string_view kName = "linear";

  static FactorInfo describe() { return describe(2); }

  static FactorInfo describe(size_t inputs) {
    const std::vector<RuleInfo> exact{{Rule::exact, Claim::exact, true}};
    FactorInfo out{std::string(kName), "z = sum_i weight_i x_i", FactorKind::deterministic, {}};
    out.edges.push_back({"z", exact, false});
    for (size_t i = 1; i <= inputs; ++i)
      out.edges.push_back({std::string("x").append(std::to_string(i)), exact, false});
    return out;
  }
  FactorInfo describe_instance() const { return describe(weights.size()); }

  static Linear from(ParameterReader& parameters) {
    Linear out{parameters.numbers("weights", {1, 1})};
    if (out.weights.empty()) reject(parameters.field("weights"), "", "needs at least one weight");
    for (const double weight : out.weights)
      if (!std::isfinite(weight)) reject(parameters.field("weights"), weight, "must be finite");
    return out;
  }

  double evaluate(std::span<const double> values) const {
    double sum = 0;
    for (size_t i = 0; i < weights.size(); ++i) sum += weights[i] * values[i];
    return sum;
  }

  template <class L>
  HWY_INLINE Sent<L> send(size_t edge, Rule /*rule*/, const Message<L>* in) const {
    if (edge == z) {
      const Rest<L> sum = rest(weights.size(), in);
      Sent<L> out = sent_moments(sum.mean, sum.variance);
      out.log_scale = sum.log_scale;
      return out;
    }
    // What is left of z is weight_j x_j: the linearised factor, which here is the factor itself.
    const Rest<L> others = rest(edge - first_input, in);
    const Moments<L> at_z = moments_of(in[z]);
    Sent<L> out = linearised(L(weights[edge - first_input]), at_z.mean - others.mean,
                             at_z.variance + others.variance);
    const auto unknown = is_uniform(in[z]) & (others.variance > largest_finite<L>());
    out.log_scale = select(unknown, infinity<L>(), out.log_scale + others.log_scale);
    return out;
  }

 private:
  template <class L>
  struct Rest {
    L mean, variance;
    // Integrating over one unknown input leaves 1/|weight|; over two, an infinite mass.
    L log_scale;
  };

  // The sum over all inputs but one.
  template <class L>
  HWY_INLINE Rest<L> rest(size_t left_out, const Message<L>* in) const {
    Rest<L> sum{L(0), L(0), L(0)};
    L unknown(0);
    for (size_t i = 0; i < weights.size(); ++i) {
      if (i == left_out || weights[i] == 0) continue;
      const L weight(weights[i]);
      const Moments<L> input = moments_of(in[first_input + i]);
      sum.mean = multiply_add(weight, input.mean, sum.mean);
      sum.variance = multiply_add(weight * weight, input.variance, sum.variance);
      const auto free = is_uniform(in[first_input + i]);
      sum.log_scale = select(free, L(-std::log(std::abs(weights[i]))), sum.log_scale);
      unknown = unknown + select(free, L(1), L(0));
    }
    sum.log_scale = select(unknown > L(1), infinity<L>(), sum.log_scale);
    return sum;
  }
};

}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // POSTRIDER_FACTOR_LINEAR_INL_H_
