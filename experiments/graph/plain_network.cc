#include "plain_network.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace postrider::experiments {
using namespace internal;
namespace {

using Long = long double;
constexpr Long kPi = std::numbers::pi_v<Long>;

Long cumulative(Long x) { return std::erfc(-x / std::numbers::sqrt2_v<Long>) / 2; }
Long density(Long x) { return std::exp(-x * x / 2) / std::sqrt(2 * kPi); }
Long log_gaussian(Long x, Long mean, Long variance) {
  return -std::log(2 * kPi * variance) / 2 - (x - mean) * (x - mean) / (2 * variance);
}

// Integrals of weight * x^k N(x; mean, variance), k = 0, 1, 2, over one half of the line.
struct HalfMoments {
  Long zeroth, first, second;
};
HalfMoments half_moments(Long weight, Long mean, Long variance, bool positive) {
  const Long s = std::sqrt(variance), side = positive ? 1 : -1;
  const Long mass = cumulative(side * mean / s), edge = side * s * density(mean / s);
  return {weight * mass, weight * (mean * mass + edge),
          weight * ((mean * mean + variance) * mass + mean * edge)};
}

}  // namespace

PlainNetwork::PlainNetwork(const NetworkTask& task, const Problem& problem, bool is_conditioned)
    : task_(task),
      problem_(problem),
      is_conditioned_(is_conditioned),
      stored_(task.batches, std::vector<WeightBelief>(problem.prior.size(), {0, 0})) {
  const NetworkShape& shape = task.shape;
  std::size_t first = 0;
  for (std::size_t l = 1; l < shape.widths.size(); ++l) {
    const std::size_t inputs = shape.widths[l - 1], units = shape.widths[l];
    const double slope = l <= shape.slopes.size() ? shape.slopes[l - 1] : 1;
    layers_.push_back(
        {inputs, units, first, slope, std::vector<Moments>(inputs), std::vector<Moments>(units)});
    first += inputs * units;
  }
  for (const WeightPrior& prior : problem.prior)
    belief_.push_back({prior.mean / prior.variance, 1 / prior.variance});
}

// E[y] and Var[y] for y = x where x > 0, slope * x elsewhere.
PlainNetwork::Moments PlainNetwork::relu(const Moments& sum, double slope) {
  const HalfMoments right = half_moments(1, sum.mean, sum.variance, true);
  const HalfMoments left = half_moments(1, sum.mean, sum.variance, false);
  const Long a = slope, mean = right.first + a * left.first;
  return {static_cast<double>(mean),
          static_cast<double>(right.second + a * a * left.second - mean * mean)};
}

// The moments in x of N(y(x); back). On the left N(a x; m, v) = N(x; m/a, v/a^2)/a.
PlainNetwork::Moments PlainNetwork::relu_backward_direct(const Moments& back, double slope) {
  const Long a = slope, m = back.mean, v = back.variance;
  const HalfMoments right = half_moments(1, m, v, true);
  const HalfMoments left = half_moments(1 / a, m / a, v / (a * a), false);
  const Long mass = right.zeroth + left.zeroth, mean = (right.first + left.first) / mass;
  return {static_cast<double>(mean),
          static_cast<double>((right.second + left.second) / mass - mean * mean)};
}

// The moments in x of N(x; sum) N(y(x); back), divided by N(x; sum). On either side of zero, with
// slope k, the product is N(m; k mu, v + k^2 s) N(x; posterior of mu, s after seeing k x).
PlainNetwork::Moments PlainNetwork::relu_backward_conditioned(const Moments& sum,
                                                              const Moments& back, double slope) {
  const Long a = slope, mu = sum.mean, s = sum.variance, m = back.mean, v = back.variance;
  const Long fit_right = log_gaussian(m, mu, v + s),
             fit_left = log_gaussian(m, a * mu, v + a * a * s);
  const Long best = std::max(fit_right, fit_left);
  const auto side = [&](Long k, Long fit, bool positive) {
    const Long variance = 1 / (1 / s + k * k / v);
    return half_moments(std::exp(fit - best), variance * (mu / s + k * m / v), variance, positive);
  };
  const HalfMoments right = side(1, fit_right, true), left = side(a, fit_left, false);
  const Long mass = right.zeroth + left.zeroth, mean = (right.first + left.first) / mass;
  const Long variance = (right.second + left.second) / mass - mean * mean;
  const Long rho = 1 / variance - 1 / s, tau = mean / variance - mu / s;
  if (rho > 0) return {static_cast<double>(tau / rho), static_cast<double>(1 / rho)};

  // The division fails: y ~ E[y] + gain (x - mu) + noise instead.
  const Moments front = relu(sum, slope);
  const Long gain = a + (1 - a) * cumulative(mu / std::sqrt(s));
  const Long noise = std::max(front.variance - gain * gain * s, Long{0});
  return {static_cast<double>(mu + (m - front.mean) / gain),
          static_cast<double>((v + noise) / (gain * gain))};
}

PlainNetwork::Moments PlainNetwork::weight(std::size_t index) const {
  return {belief_[index].tau / belief_[index].rho, 1 / belief_[index].rho};
}

PlainNetwork::Moments PlainNetwork::product(const Moments& x, const Moments& y) {
  return {x.mean * y.mean,
          x.variance * y.mean * y.mean + y.variance * x.mean * x.mean + x.variance * y.variance};
}

// What z = x y says about x = `self`, given y = `other` and what comes back along z.
WeightBelief PlainNetwork::to_factor(const Moments& self, const Moments& other,
                                     const Moments& z) const {
  const double square = other.mean * other.mean;
  if (is_conditioned_) {
    const double d = z.variance + other.variance * (self.mean * self.mean + self.variance);
    return {other.mean * z.mean / d, square / d};
  }
  const double t = square / (square + other.variance);
  const double d = z.variance + (1 - t) * z.mean * z.mean;
  return {t * t * other.mean * z.mean / d, t * t * t * square / d};
}

void PlainNetwork::forward(const Example& example) {
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    Layer& layer = layers_[l];
    for (std::size_t j = 0; j < layer.inputs; ++j)
      layer.input[j] = l == 0 ? Moments{example.inputs[j], 0}
                              : relu(layers_[l - 1].sum[j], layers_[l - 1].slope);
    for (std::size_t i = 0; i < layer.units; ++i) {
      layer.sum[i] = {0, 0};
      for (std::size_t j = 0; j < layer.inputs; ++j) {
        const Moments term = product(weight(layer.first + i * layer.inputs + j), layer.input[j]);
        layer.sum[i].mean += term.mean;
        layer.sum[i].variance += term.variance;
      }
    }
  }
}

void PlainNetwork::learn(const Example& example, std::vector<WeightBelief>& stored) {
  forward(example);
  std::vector<Moments> back;
  for (const double y : example.targets) back.push_back({y, task_.shape.noise_variance});
  for (std::size_t l = layers_.size(); l-- > 0;) {
    const Layer& layer = layers_[l];
    std::vector<WeightBelief> to_input(layer.inputs, {0, 0});
    for (std::size_t i = 0; i < layer.units; ++i)
      for (std::size_t j = 0; j < layer.inputs; ++j) {
        const std::size_t k = layer.first + i * layer.inputs + j;
        const Moments w = weight(k), x = layer.input[j], term = product(w, x);
        // What the sum leaves for this term when all others are taken away.
        const Moments rest{back[i].mean - (layer.sum[i].mean - term.mean),
                           back[i].variance + (layer.sum[i].variance - term.variance)};
        const WeightBelief to_weight = to_factor(w, x, rest), to_x = to_factor(x, w, rest);
        belief_[k].tau += to_weight.tau;
        belief_[k].rho += to_weight.rho;
        stored[k].tau += to_weight.tau;
        stored[k].rho += to_weight.rho;
        to_input[j].tau += to_x.tau;
        to_input[j].rho += to_x.rho;
      }
    if (l == 0) break;
    back.clear();
    for (std::size_t j = 0; j < layer.inputs; ++j) {
      const Moments from{to_input[j].tau / to_input[j].rho, 1 / to_input[j].rho};
      const Moments& sum = layers_[l - 1].sum[j];
      const double slope = layers_[l - 1].slope;
      back.push_back(is_conditioned_ ? relu_backward_conditioned(sum, from, slope)
                                     : relu_backward_direct(from, slope));
    }
  }
}

void PlainNetwork::sweep(std::size_t batch) {
  std::vector<WeightBelief>& stored = stored_[batch];
  for (std::size_t k = 0; k < belief_.size(); ++k) {
    belief_[k].tau -= stored[k].tau;
    belief_[k].rho -= stored[k].rho;
    stored[k] = {0, 0};
  }
  const std::size_t size = task_.batch_size();
  for (std::size_t n = batch * size; n < (batch + 1) * size; ++n)
    learn(problem_.training[n], stored);
}

double PlainNetwork::score(std::span<const Example> examples) {
  double sum = 0;
  for (const Example& example : examples) {
    forward(example);
    for (std::size_t i = 0; i < example.targets.size(); ++i) {
      const Moments& at = layers_.back().sum[i];
      const double variance = at.variance + task_.shape.noise_variance;
      const double gap = example.targets[i] - at.mean;
      sum += (std::log(2 * std::numbers::pi * variance) + gap * gap / variance) / 2;
    }
  }
  return sum / static_cast<double>(examples.size() * task_.shape.outputs());
}

}  // namespace postrider::experiments
