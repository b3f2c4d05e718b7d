// Part 4: the two copy-factor steps between the Gaussian and the log-normal family.
#include <cmath>
#include <limits>

#include "certify/exact_message.h"
#include "math/quadrature.h"
#include "parts.h"
#include "postrider/graph/factor.h"

namespace postrider::experiments {
using namespace internal;
namespace {

constexpr double kPaperConstant = 0.75;
constexpr double kConstantTolerance = 0.01;  // relative

// KL(log-normal || Gaussian), with l = log y as the variable of integration: the log-normal's
// density in y is N(l)/y.
double kl_log_normal_to_gaussian(const Gaussian& log_y, const Gaussian& gaussian) {
  const Tabulated density([&](double l) { return log_y.log_density(l); },
                          gaussian_range(log_y.mean(), log_y.variance(), {}, Reach::near));
  return density.expect(
      [&](double l, double log_p) { return log_p - l - gaussian.log_density(std::exp(l)); });
}

// Step 1: LN(mean, deviation^2) is approximated by the Gaussian that the factor sends to x.
double step_one(const graph::Factor& factor, double mean, double deviation) {
  const Gaussian log_y = Gaussian::from_moments(mean, deviation * deviation);
  const Gaussian sent = factor.send(0, graph::Rule::direct, {{Gaussian::uniform(), log_y}}).message;
  return kl_log_normal_to_gaussian(log_y, sent);
}

// Step 2: N(mean, deviation^2) is approximated by the log-normal that the factor sends to l.
double step_two(const graph::Factor& factor, double mean, double deviation) {
  const Gaussian x = Gaussian::from_moments(mean, deviation * deviation);
  const Gaussian sent = factor.send(1, graph::Rule::direct, {{x, Gaussian::uniform()}}).message;
  return kl_log_normal_to_gaussian(sent, x);
}

template <class Step>
Object heat_map(const graph::Factor& factor, const std::vector<double>& means,
                const std::vector<double>& deviations, Step step) {
  std::vector<double> kl;  // row by row: one row per deviation
  for (const double deviation : deviations)
    for (const double mean : means) kl.push_back(step(factor, mean, deviation));
  return {{"mean", {means}}, {"deviation", {deviations}}, {"kl", {kl}}};
}

// KL r^2 at r and 2 r, extrapolated: the error of the second order falls like 1/r^2.
double leading_constant(const graph::Factor& factor) {
  const auto at = [&](double r) { return step_two(factor, r, 1) * r * r; };
  constexpr double kSnr = 20;
  return (4 * at(2 * kSnr) - at(kSnr)) / 3;
}

}  // namespace

Part copy(const Settings& settings) {
  const auto factor = graph::make_factor("log_normal_copy");
  const std::size_t steps = settings.quick ? 10 : 60;
  const double constant = leading_constant(*factor);
  return {
      "copy",
      {{"leading_constant", {constant}},
       {"paper_leading_constant", {kPaperConstant}},
       {"step_one",
        {heat_map(*factor, linear_steps(-2, 2, steps), linear_steps(0.05, 1, steps), step_one)}},
       {"step_two",
        {heat_map(*factor, linear_steps(1, 10, steps), linear_steps(0.1, 2, steps), step_two)}}},
      {{"KL r^2 tends to " + std::to_string(constant) + ", within 1 % of 3/4",
        std::abs(constant - kPaperConstant) <= kConstantTolerance * kPaperConstant}}};
}

}  // namespace postrider::experiments
