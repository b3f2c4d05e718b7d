// The paper's three regression problems: shapes, features, and what a seed draws.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/random.h"
#include "postrider/network/network.h"

namespace postrider::experiments {
using namespace internal;

// Widths from the inputs to the outputs; one slope of the leaky ReLU per hidden layer.
struct NetworkShape {
  std::vector<std::size_t> widths;
  std::vector<double> slopes;
  double noise_variance;  // of the Gaussian likelihood

  std::size_t inputs() const { return widths.front(); }
  std::size_t outputs() const { return widths.back(); }
  std::size_t weights() const;
};

// As the library takes it: no biases, since one of the features is a constant.
network::NetworkOptions network_options(const NetworkShape& shape, graph::Rule rule,
                                        network::Precision precision);

// The network with known weights, which are numbered layer by layer, unit by unit, input by input.
std::vector<double> evaluate(const NetworkShape& shape, std::span<const double> weights,
                             std::span<const double> inputs);

// The same again and again, without asking for memory each time.
class Evaluator {
 public:
  explicit Evaluator(const NetworkShape& shape) : shape_(shape) {}
  // Until the next call.
  std::span<const double> operator()(std::span<const double> weights,
                                     std::span<const double> inputs);

 private:
  const NetworkShape& shape_;
  std::vector<double> below_, here_;
};

struct NetworkTask {
  NetworkShape shape;
  bool is_large;  // which feature map
  std::size_t examples, batches, epochs;
  double low, high, reach;  // inputs, and how far beyond them the extrapolation goes

  // Widths of the network that the data come from; empty if it has the shape of the one that learns.
  std::vector<std::size_t> data_widths = {};

  std::size_t batch_size() const { return examples / batches; }
  NetworkShape data_shape() const;
};

NetworkTask small_task();
NetworkTask large_task();
NetworkTask mismatch_task();  // the small network learns from a wider one

struct Example {
  std::vector<double> inputs, targets;
};

struct WeightPrior {
  double mean, variance;
};

// What one seed draws: equal for both rules, and but for the prior means for both kinds of prior.
struct Problem {
  std::vector<WeightPrior> prior;
  std::vector<Example> training, beyond;  // the targets beyond are without noise
  std::vector<double> truth = {};         // the weights of the network that the data come from
  std::vector<double> places = {};        // x of the training examples, before the features
};

// `same_means`: the prior has the means that the true weights scatter around, else fresh ones.
Problem draw(const NetworkTask& task, bool same_means, RandomStream random);
// For a task with a data network of another shape, where no prior mean can be the same.
Problem draw_mismatched(const NetworkTask& task, RandomStream prior, RandomStream data);

// What the data network says at these x, without noise.
std::vector<Example> examples_at(const NetworkTask& task, std::span<const double> truth,
                                 std::span<const double> places);
// Evenly on both sides beyond the training inputs.
std::vector<double> places_beyond(const NetworkTask& task, std::size_t points_per_side);

}  // namespace postrider::experiments
