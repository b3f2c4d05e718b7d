#include "sparse/likelihood.h"

#include <span>

#include "factor/logistic_step.h"
#include "factor/step.h"
#include "factor/varying_noise.h"

namespace postrider::internal::hashed {
namespace {

constexpr PerLane filled(double value) {
  PerLane out{};
  for (double& each : out) each = value;
  return out;
}

constexpr PerLane kOnes = filled(1);

}  // namespace

Answers Likelihood::answers(std::size_t lanes, double target, const LaneMoments& score,
                            const LaneMoments& noise) const {
  Answers out;
  const auto in = [&](const PerLane& values) {
    return std::span<const double>(values.data(), lanes);
  };
  const auto to = [&](PerLane& values) { return std::span<double>(values.data(), lanes); };
  if (target_ == sparse::SparseOptions::Target::number) {
    PerLane residual{}, slope{}, guarded{};
    for (std::size_t k = 0; k < lanes; ++k) residual[k] = target - score.mean[k];
    varying_noise_derivatives(
        {in(residual), in(score.variance), in(noise.mean), in(noise.variance), in(kOnes)},
        {to(out.log_z), to(out.g1), to(out.g2), to(out.noise_g1), to(out.noise_g2), to(slope),
         to(guarded)},
        level_);
    for (const double count : in(guarded)) out.guarded += static_cast<std::size_t>(count);
    return out;
  }
  const PerLane sign = filled(target);
  const StepOutputs results{to(out.log_z), to(out.g1), to(out.g2)};
  if (target_ == sparse::SparseOptions::Target::probit)
    step_derivatives({in(sign), in(kOnes), in(score.mean), in(score.variance)}, results, level_);
  else
    out.guarded =
        logistic_derivatives({in(sign), in(score.mean), in(score.variance)}, results, level_);
  return out;
}

void raise(Answers& answers, std::size_t lanes, const PerLane& variance,
           const PerLane& noise_variance, double power) {
  const auto raised = [power](double& g1, double& g2, double v) {
    const double share = v * g2;
    const double scale = power / (1 - share + power * share);
    g1 *= scale;
    g2 *= scale;
  };
  for (std::size_t k = 0; k < lanes; ++k) {
    raised(answers.g1[k], answers.g2[k], variance[k]);
    raised(answers.noise_g1[k], answers.noise_g2[k], noise_variance[k]);
  }
}

}  // namespace postrider::internal::hashed
