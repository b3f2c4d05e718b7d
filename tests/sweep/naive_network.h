// The algorithm on plain nested arrays in double, one message at a time and in the order of the
// paper's listing: what the sweep engine is compared with. Products and sums are written out here;
// activations go through the certified scalar factors.
#pragma once

#include <cstddef>
#include <vector>

#include "postrider/gaussian.h"
#include "postrider/graph/factor.h"
#include "sweep/layout.h"

namespace postrider::network {
using namespace internal;

struct NaiveExample {
  std::vector<double> mean, variance, target;
};

class NaiveNetwork {
 public:
  using Row = std::vector<double>;

  NaiveNetwork(std::vector<SweepLayer> layers, graph::Rule rule)
      : layers_(std::move(layers)), rule_(rule) {
    for (const SweepLayer& layer : layers_) {
      tau.push_back(Row(layer.weights()));
      rho.push_back(Row(layer.weights(), 1.0));
    }
  }

  // Natural parameters per layer, unit by unit, input by input, the bias last.
  std::vector<Row> tau, rho;

  struct Pass {
    std::vector<Row> x_mean, x_variance, s_mean, s_variance, front_mean, front_variance;
  };

  Pass forward(const NaiveExample& example) const {
    Pass pass;
    Row mean = example.mean, variance = example.variance;
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      const SweepLayer& layer = layers_[l];
      if (layer.bias) {
        mean.push_back(1);
        variance.push_back(0);
      }
      Row s_mean(layer.units), s_variance(layer.units), f_mean, f_variance;
      for (std::size_t i = 0; i < layer.units; ++i)
        for (std::size_t j = 0; j < mean.size(); ++j) {
          const Moments w = weight(l, i * mean.size() + j);
          s_mean[i] += w.mean * mean[j];
          s_variance[i] += w.variance * mean[j] * mean[j] + variance[j] * w.mean * w.mean +
                           w.variance * variance[j];
        }
      for (std::size_t i = 0; i < layer.units; ++i) {
        Gaussian front = Gaussian::from_moments(s_mean[i], s_variance[i]);
        if (layer.activation_precision > 0 && s_variance[i] > 0)
          front *= Gaussian::from_natural(0, layer.activation_precision);
        f_mean.push_back(front.mean());
        f_variance.push_back(front.variance());
      }
      pass.x_mean.push_back(mean);
      pass.x_variance.push_back(variance);
      pass.s_mean.push_back(s_mean);
      pass.s_variance.push_back(s_variance);
      pass.front_mean.push_back(f_mean);
      pass.front_variance.push_back(f_variance);
      mean = f_mean;
      variance = f_variance;
      for (std::size_t i = 0; i < layer.units && layer.slope != 1; ++i) {
        const Gaussian y = relu(layer.slope)
                               ->send(0, graph::Rule::direct,
                                      std::vector{Gaussian::uniform(),
                                                  Gaussian::from_moments(f_mean[i], f_variance[i])})
                               .message;
        mean[i] = y.mean();
        variance[i] = y.variance();
      }
    }
    return pass;
  }

  // All examples are swept from the same beliefs, and what they say is added afterwards.
  void learn(const std::vector<NaiveExample>& block, double noise_variance, double power = 1) {
    std::vector<Row> new_tau = tau, new_rho = rho;
    for (const NaiveExample& example : block)
      backward(example, noise_variance, power, new_tau, new_rho);
    tau = new_tau;
    rho = new_rho;
  }

 private:
  struct Moments {
    double mean, variance;
  };
  struct Natural {
    double tau, rho;
  };

  Moments weight(std::size_t l, std::size_t k) const {
    return {tau[l][k] / rho[l][k], 1 / rho[l][k]};
  }

  static std::unique_ptr<graph::Factor> relu(double slope) {
    return graph::make_factor("leaky_relu", {{"slope", {slope}}});
  }

  // The product's message to one input, with N(mean_z, var_z) coming back.
  Natural product(const Moments& self, const Moments& other, const Moments& z) const {
    if (other.mean == 0) return {0, 0};
    const double m = other.mean;
    if (rule_ == graph::Rule::conditioned) {
      const double d = z.variance + other.variance * (self.mean * self.mean + self.variance);
      return {m * z.mean / d, m * m / d};
    }
    const double t = m * m / (m * m + other.variance);
    const double d = z.variance + (1 - t) * z.mean * z.mean;
    return {t * t * m * z.mean / d, t * t * t * m * m / d};
  }

  void backward(const NaiveExample& example, double noise_variance, double power,
                std::vector<Row>& new_tau, std::vector<Row>& new_rho) const {
    const Pass pass = forward(example);
    std::vector<Gaussian> back;
    for (const double y : example.target) back.push_back(Gaussian::from_moments(y, noise_variance));
    for (std::size_t l = layers_.size(); l-- > 0;) {
      const std::size_t inputs = pass.x_mean[l].size();
      std::vector<Natural> answer(inputs, {0, 0});
      for (std::size_t i = 0; i < layers_[l].units; ++i) {
        back[i] *= Gaussian::from_natural(0, layers_[l].activation_precision);
        if (back[i].is_uniform()) continue;
        for (std::size_t j = 0; j < inputs; ++j) {
          const Moments w = weight(l, i * inputs + j), x{pass.x_mean[l][j], pass.x_variance[l][j]};
          const Moments term{w.mean * x.mean, w.variance * x.mean * x.mean +
                                                  x.variance * w.mean * w.mean +
                                                  w.variance * x.variance};
          const Moments z{back[i].mean() - pass.s_mean[l][i] + term.mean,
                          back[i].variance() + pass.s_variance[l][i] - term.variance};
          const Natural to_w = product(w, x, z), to_x = product(x, w, z);
          new_tau[l][i * inputs + j] += power * to_w.tau;
          new_rho[l][i * inputs + j] += power * to_w.rho;
          answer[j].tau += to_x.tau;
          answer[j].rho += to_x.rho;
        }
      }
      if (l == 0) break;
      const SweepLayer& below = layers_[l - 1];
      back.clear();
      for (std::size_t j = 0; j < below.units; ++j) {
        const Gaussian said = answer[j].rho > 0
                                  ? Gaussian::from_natural(answer[j].tau, answer[j].rho)
                                  : Gaussian::uniform();
        const Gaussian front =
            Gaussian::from_moments(pass.front_mean[l - 1][j], pass.front_variance[l - 1][j]);
        back.push_back(below.slope == 1
                           ? said
                           : relu(below.slope)->send(1, rule_, std::vector{said, front}).message);
      }
    }
  }

  std::vector<SweepLayer> layers_;
  graph::Rule rule_;
};

}  // namespace postrider::network
