#include "factor/choice.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "factor/choice.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target: this file is compiled once per target.
#include "factor/choice-inl.h"
#include "math/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {
namespace {

double log_probability(const ChoiceScores& scores, size_t chosen, ChoiceWork& work) {
  return Choice(scores, chosen, work).log_probability();
}

double derivatives(const ChoiceScores& scores, size_t chosen, const ChoiceDerivatives& out,
                   ChoiceWork& work) {
  Choice choice(scores, chosen, work);
  const double log_z = choice.messages(out);
  choice.send_to_chosen(out.g1[chosen], out.g2[chosen]);
  return log_z;
}

}  // namespace
}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"

namespace postrider::internal {
namespace {

HWY_EXPORT(log_probability);
HWY_EXPORT(derivatives);

// What quadrature and rounding may leave of g2 s^2 where it is zero: not counted as an event.
constexpr double kQuadratureError = 1e-9;

void expect_scores(const ChoiceScores& scores, std::size_t chosen) {
  check(scores.mean.size() >= 2 && scores.variance.size() == scores.mean.size() &&
            chosen < scores.mean.size() && scores.noise > 0,
        "a choice is between two scores or more");
}

std::size_t bound(const ChoiceScores& scores, std::span<double> g2) {
  std::size_t guarded = 0;
  for (std::size_t k = 0; k < g2.size(); ++k) {
    const double most = 1 / (scores.variance[k] + scores.noise);
    if (!(g2[k] >= -kQuadratureError * most && g2[k] <= (1 + kQuadratureError) * most)) ++guarded;
    g2[k] = std::clamp(g2[k], 0.0, most);
  }
  return guarded;
}

}  // namespace

double choice_log_probability(const ChoiceScores& scores, std::size_t chosen, ChoiceWork& work) {
  expect_scores(scores, chosen);
  return dispatched(HWY_DISPATCH_TABLE(log_probability), work.level)(scores, chosen, work);
}

double choice_derivatives(const ChoiceScores& scores, std::size_t chosen,
                          const ChoiceDerivatives& out, ChoiceWork& work, std::size_t& guarded) {
  expect_scores(scores, chosen);
  const double log_z =
      dispatched(HWY_DISPATCH_TABLE(derivatives), work.level)(scores, chosen, out, work);
  guarded += bound(scores, out.g2);
  return log_z;
}

void choice_probabilities(const ChoiceScores& scores, std::span<double> out, ChoiceWork& work) {
  for (std::size_t k = 0; k < out.size(); ++k)
    out[k] = std::exp(choice_log_probability(scores, k, work));
  const double sum = std::reduce(out.begin(), out.end());
  for (double& probability : out) probability /= sum;
}

}  // namespace postrider::internal
#endif  // HWY_ONCE
