// A network of Gaussian messages as the formulas read: one message at a time, sums over all others
// spelt out, in long double. Nothing here comes from src.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace postrider::naive {

using Real = long double;

struct Moments {
  Real mean = 0, variance = 0;
};
struct Natural {
  Real tau = 0, rho = 0;
};
inline Moments moments(const Natural& of) { return {of.tau / of.rho, 1 / of.rho}; }
inline Natural natural(const Moments& of) { return {of.mean / of.variance, 1 / of.variance}; }

inline Real density(Real x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::acos(Real(-1))); }
inline Real below(Real x) { return std::erfc(-x / std::sqrt(Real(2))) / 2; }
inline Real density(Real x, const Moments& of) {
  return density((x - of.mean) / std::sqrt(of.variance)) / std::sqrt(of.variance);
}

// A Gaussian on one side of zero: mass, and first two moments times the mass.
struct Piece {
  Real mass = 0, first = 0, second = 0;

  Piece operator+(const Piece& b) const {
    return {mass + b.mass, first + b.first, second + b.second};
  }
  Piece operator*(Real scale) const { return {mass * scale, first * scale, second * scale}; }
  Moments moments() const {
    const Real mean = first / mass;
    return {mean, second / mass - mean * mean};
  }
};
inline Piece right_of_zero(const Moments& of) {
  const Real m = of.mean, s = std::sqrt(of.variance), u = m / s;
  return {below(u), m * below(u) + s * density(u), (m * m + s * s) * below(u) + m * s * density(u)};
}
inline Piece left_of_zero(const Moments& of) {
  const Piece mirrored = right_of_zero({-of.mean, of.variance});
  return {mirrored.mass, -mirrored.first, mirrored.second};
}

// y = max(x, 0) + slope min(x, 0).
inline Moments through(Real slope, const Moments& x) {
  if (slope == 1) return x;
  const Piece right = right_of_zero(x), left = left_of_zero(x);
  return Piece{1, right.first + slope * left.first, right.second + slope * slope * left.second}
      .moments();
}

// Back through it: `forward` goes to the activation, `back` comes from it.
inline Natural conditioned_back(Real slope, const Moments& forward, const Moments& back) {
  if (slope == 1) return natural(back);
  const auto side = [&](Real a) {
    const Real c = back.variance + a * a * forward.variance;
    return Moments{(forward.mean * back.variance + a * back.mean * forward.variance) / c,
                   forward.variance * back.variance / c};
  };
  const auto evidence = [&](Real a) {
    return density(back.mean, {a * forward.mean, a * a * forward.variance + back.variance});
  };
  const Piece tilted =
      right_of_zero(side(1)) * evidence(1) + left_of_zero(side(slope)) * evidence(slope);
  const Natural with = natural(tilted.moments()), without = natural(forward);
  if (with.rho > without.rho) return {with.tau - without.tau, with.rho - without.rho};
  // Improper: the linearised factor instead.
  const Moments out = through(slope, forward);
  const Real gain = slope + (1 - slope) * below(forward.mean / std::sqrt(forward.variance));
  const Real d = back.variance + out.variance - gain * gain * forward.variance;
  return {gain * (back.mean - out.mean + gain * forward.mean) / d, gain * gain / d};
}
inline Natural direct_back(Real slope, const Moments& back) {
  if (slope == 1) return natural(back);
  const Moments stretched{back.mean / slope, back.variance / (slope * slope)};
  return natural((right_of_zero(back) + left_of_zero(stretched) * (1 / slope)).moments());
}

// From z = x y back to x.
inline Natural product_back(bool conditioned, const Moments& x, const Moments& y,
                            const Moments& z) {
  if (conditioned) {
    const Real d = z.variance + y.variance * (x.mean * x.mean + x.variance);
    return {y.mean * z.mean / d, y.mean * y.mean / d};
  }
  if (y.mean == 0) return {};
  const Real t = y.mean * y.mean / (y.mean * y.mean + y.variance);
  const Real d = z.variance + (1 - t) * z.mean * z.mean;
  return {t * t * y.mean * z.mean / d, t * t * t * y.mean * y.mean / d};
}

struct Layer {
  std::size_t units;
  bool bias = true;
  Real slope = 1;
  Real activation_precision = 0;
};

class Network {
 public:
  std::size_t inputs = 1;
  std::vector<Layer> layers;
  bool conditioned = true;
  std::vector<Natural> weights;  // layer by layer, unit by unit, input by input, the bias last

  std::vector<Moments> predict(const std::vector<Moments>& x) const {
    std::vector<Step> steps = forward(x);
    return steps.back().front;
  }

  // One example; a target that is not a number says nothing. Returns the prediction before.
  std::vector<Moments> learn(const std::vector<Moments>& x, const std::vector<Real>& targets,
                             const std::vector<Real>& noise, Real power) {
    const std::vector<Step> steps = forward(x);
    std::vector<Natural> next = weights;
    std::vector<Natural> back;  // to the sums of the layer, without their prior
    for (std::size_t i = 0; i < targets.size(); ++i)
      back.push_back(std::isnan(targets[i]) ? Natural{} : natural({targets[i], noise[i]}));
    for (std::size_t l = layers.size(); l-- > 0;) {
      std::vector<Natural> to_inputs(steps[l].x.size());
      for (std::size_t i = 0; i < layers[l].units; ++i) {
        const Natural said{back[i].tau, back[i].rho + layers[l].activation_precision};
        if (back[i].rho > 0) answer(i, steps[l], moments(said), power, next, to_inputs);
      }
      if (l == 0) break;
      back.clear();
      for (std::size_t j = 0; j < layers[l - 1].units; ++j) {
        const Real slope = layers[l - 1].slope;
        if (to_inputs[j].rho == 0)
          back.push_back({});
        else if (conditioned)
          back.push_back(conditioned_back(slope, steps[l - 1].front[j], moments(to_inputs[j])));
        else
          back.push_back(direct_back(slope, moments(to_inputs[j])));
      }
    }
    weights = next;
    return steps.back().front;
  }

 private:
  struct Step {
    std::size_t first_weight;
    std::vector<Moments> x, front;  // inputs with the bias; sums with their prior
  };

  std::vector<Step> forward(std::vector<Moments> x) const {
    std::vector<Step> out;
    std::size_t first = 0;
    for (const Layer& layer : layers) {
      if (layer.bias) x.push_back({1, 0});
      Step step{first, x, {}};
      for (std::size_t i = 0; i < layer.units; ++i) {
        const Moments sum = sum_without(first + i * x.size(), x, x.size());
        const Real shrink = 1 / (1 + layer.activation_precision * sum.variance);
        step.front.push_back({sum.mean * shrink, sum.variance * shrink});
      }
      first += layer.units * x.size();
      x.clear();
      for (const Moments& sum : step.front) x.push_back(through(layer.slope, sum));
      out.push_back(step);
    }
    return out;
  }

  Moments sum_without(std::size_t weight, const std::vector<Moments>& x,
                      std::size_t left_out) const {
    Moments out;
    for (std::size_t j = 0; j < x.size(); ++j) {
      if (j == left_out) continue;
      const Moments w = moments(weights[weight + j]);
      out.mean += w.mean * x[j].mean;
      out.variance +=
          w.variance * (x[j].mean * x[j].mean + x[j].variance) + x[j].variance * w.mean * w.mean;
    }
    return out;
  }

  void answer(std::size_t unit, const Step& step, const Moments& back, Real power,
              std::vector<Natural>& next, std::vector<Natural>& to_inputs) const {
    const std::size_t first = step.first_weight + unit * step.x.size();
    for (std::size_t j = 0; j < step.x.size(); ++j) {
      const Moments others = sum_without(first, step.x, j);
      const Moments z{back.mean - others.mean, back.variance + others.variance};
      const Moments w = moments(weights[first + j]);
      const Natural to_weight = product_back(conditioned, w, step.x[j], z);
      next[first + j].tau += power * to_weight.tau;
      next[first + j].rho += power * to_weight.rho;
      const Natural to_input = product_back(conditioned, step.x[j], w, z);
      to_inputs[j].tau += to_input.tau;
      to_inputs[j].rho += to_input.rho;
    }
  }
};

}  // namespace postrider::naive
