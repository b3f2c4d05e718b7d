// Part 1: the master theorem on 192 leaky-ReLU configurations.
#include <algorithm>

#include "leaky_relu_case.h"
#include "parts.h"

namespace postrider::experiments {
using namespace internal;
namespace {

const std::vector<double> kSlopes{0.1, 0.3, 0.5}, kWidths{0.5, 1.0, 1.5, 2.0};
constexpr double kRounding = 1e-13;  // a message KL below this is not resolved by quadrature

// The largest ratio if the mean of Y stays and its width shrinks with r, for another mean of X.
double other_reading(const std::vector<double>& snrs, double mean_x, double mean_y) {
  double largest = 0;
  for (const double a : kSlopes)
    for (const double s : kWidths)
      for (const double r : snrs) {
        const MasterInstance instance = LeakyReluCase{a, r, s, mean_x, mean_y / r}.run();
        if (instance.message_kl > kRounding) largest = std::max(largest, instance.ratio());
      }
  return largest;
}

}  // namespace

Part master_theorem(const Settings& settings) {
  const std::vector<double> snrs = linear_steps(0.5, 7, settings.quick ? 4 : 16);
  std::vector<double> slope, width, snr, delta, marginal, bound, ratio;
  std::int64_t violations = 0;
  for (const double a : kSlopes)
    for (const double s : kWidths)
      for (const double r : snrs) {
        const MasterInstance instance = LeakyReluCase{a, r, s}.run();
        slope.push_back(a), width.push_back(s), snr.push_back(r);
        delta.push_back(instance.message_kl);
        marginal.push_back(instance.marginal_kl);
        bound.push_back(instance.bound);
        ratio.push_back(instance.ratio());
        if (!(instance.ratio() < 1)) ++violations;
      }
  const double max_ratio = *std::max_element(ratio.begin(), ratio.end());
  return {
      "master_theorem",
      {{"configurations", {static_cast<std::int64_t>(ratio.size())}},
       {"violations", {violations}},
       {"max_ratio", {max_ratio}},
       {"paper_max_ratio", {0.97}},
       {"note", {std::string("message from Y: N(r, 1); message from X: N(0, width_x^2)")}},
       {"max_ratio_of_other_readings",
        {Object{{"mean_x 0, mean_y 1", {other_reading(snrs, 0, 1)}},
                {"mean_x 0, mean_y 3", {other_reading(snrs, 0, 3)}},
                {"mean_x 1, mean_y 1", {other_reading(snrs, 1, 1)}},
                {"mean_x 1, mean_y 3", {other_reading(snrs, 1, 3)}}}}},
       {"slope", {slope}},
       {"width_x", {width}},
       {"snr", {snr}},
       {"message_kl", {delta}},
       {"marginal_kl", {marginal}},
       {"bound", {bound}},
       {"ratio", {ratio}}},
      {{"every ratio is below 1 (largest: " + std::to_string(max_ratio) + ")", violations == 0}}};
}

}  // namespace postrider::experiments
