#include "factor/varying_noise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace postrider {
namespace {

// Nodes per deviation of g and their reach: the integrand is a bell times a smooth function, for which
// equal steps converge exponentially.
constexpr double kReach = 8.75, kStep = 0.25;
constexpr std::size_t kNodes = 71;
static_assert(kStep * (kNodes - 1) == 2 * kReach);

constexpr double kLeastShare = 0.25;  // see Guard

// A surprise moves the integrand up: beyond this many deviations the nodes follow it.
constexpr double kFarMode = 3;
constexpr double kFarthestMode = 1e3;
constexpr int kHalvings = 30;

// Where the integrand is largest, in deviations of g from its mean, if that is far above; else 0.
double centre_of(const VaryingNoiseInput& in) {
  const double deviation = std::sqrt(in.log_variance);
  const auto rises = [&](double t) {
    const double noise = in.scale * std::exp(in.log_mean + deviation * t);
    const double total = in.variance + noise;
    const double surprise = in.residual * in.residual / total - 1;
    return 0.5 * deviation * (noise / total) * surprise > t;
  };
  if (!rises(kFarMode)) return 0;
  double low = kFarMode, high = kFarthestMode;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = 0.5 * (low + high);
    (rises(middle) ? low : high) = middle;
  }
  return low;
}

struct Node {
  double g, noise, total;  // scale exp(g), v + that
  double log_weight;
};

std::array<Node, kNodes> nodes_of(const VaryingNoiseInput& in) {
  std::array<Node, kNodes> out;
  const double deviation = std::sqrt(in.log_variance), centre = centre_of(in);
  for (std::size_t i = 0; i < kNodes; ++i) {
    const double t = centre - kReach + kStep * static_cast<double>(i);
    Node& node = out[i];
    node.g = in.log_mean + deviation * t;
    node.noise = in.scale * std::exp(node.g);
    node.total = in.variance + node.noise;
    node.log_weight =
        -0.5 * (t * t + std::log(node.total) + in.residual * in.residual / node.total);
  }
  return out;
}

// Turns log weights into weights that sum to one; returns log Z.
double normalise(std::array<Node, kNodes>& nodes, std::array<double, kNodes>& weights) {
  double largest = nodes[0].log_weight;
  for (const Node& node : nodes) largest = std::max(largest, node.log_weight);
  double sum = 0;
  for (std::size_t i = 0; i < kNodes; ++i)
    sum += weights[i] = std::exp(nodes[i].log_weight - largest);
  for (double& weight : weights) weight /= sum;
  // Both densities lack 1/sqrt(2 pi).
  return largest + std::log(sum * kStep) - std::log(2 * std::numbers::pi);
}

double guarded(double g2, double least, std::size_t& count) {
  if (g2 >= least) return g2;
  ++count;
  return least;
}

}  // namespace

VaryingNoiseDerivatives varying_noise_derivatives(const VaryingNoiseInput& in) {
  std::array<Node, kNodes> nodes = nodes_of(in);
  std::array<double, kNodes> weights;
  VaryingNoiseDerivatives out;
  out.log_z = normalise(nodes, weights);
  // Moments of g are taken from m_g, in deviations, so that nothing cancels.
  const double deviation = std::sqrt(in.log_variance), r = in.residual;
  double inverse = 0, inverse_squares = 0, shift = 0, shift_squares = 0, information = 0;
  for (std::size_t i = 0; i < kNodes; ++i) {
    const double w = weights[i], share = nodes[i].noise / nodes[i].total;
    const double t = (nodes[i].g - in.log_mean) / deviation;
    inverse += w / nodes[i].total;
    inverse_squares += w / (nodes[i].total * nodes[i].total);
    shift += w * t;
    shift_squares += w * t * t;
    information += 0.5 * w * share * share;
    out.scale_slope += 0.5 * w * share * (r * r / nodes[i].total - 1);
  }
  out.x_g1 = r * inverse;
  out.x_g2 = guarded(inverse - r * r * (inverse_squares - inverse * inverse), kLeastShare * inverse,
                     out.guarded);
  out.log_g1 = shift / deviation;
  out.log_g2 =
      guarded((1 - (shift_squares - shift * shift)) / in.log_variance,
              kLeastShare * information / (1 + in.log_variance * information), out.guarded);
  return out;
}

double varying_noise_log_density(const VaryingNoiseInput& in) {
  std::array<Node, kNodes> nodes = nodes_of(in);
  std::array<double, kNodes> weights;
  return normalise(nodes, weights);
}

std::array<NoiseShare, kNoiseShares> noise_shares(double log_mean, double log_variance,
                                                  double scale) {
  constexpr double kShareStep = 0.5, kMiddle = 0.5 * (kNoiseShares - 1);
  const double deviation = std::sqrt(log_variance);
  std::array<NoiseShare, kNoiseShares> out;
  double sum = 0;
  for (std::size_t i = 0; i < kNoiseShares; ++i) {
    const double t = kShareStep * (static_cast<double>(i) - kMiddle);
    out[i] = {std::exp(-0.5 * t * t), noise_at(log_mean + deviation * t, scale)};
    sum += out[i].weight;
  }
  for (NoiseShare& share : out) share.weight /= sum;
  return out;
}

double noise_at(double g, double scale) {
  constexpr double kMostLogNoise = 100;
  return scale * std::exp(std::clamp(g, -kMostLogNoise, kMostLogNoise));
}

double expected_noise(double log_mean, double log_variance, double scale) {
  return noise_at(log_mean + 0.5 * log_variance, scale);
}

}  // namespace postrider
