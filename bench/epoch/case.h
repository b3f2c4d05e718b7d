// The networks and data that all contenders train on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace postrider::bench {

struct Case {
  std::string name;
  std::vector<std::size_t> widths;  // inputs, hidden layers, outputs
  bool bias;
  std::vector<float> slopes;  // of the leaky ReLU behind each hidden layer
  std::size_t rows, batch;
  double target_ratio;  // of our time to libtorch's
  double learning_rate = 1e-3;
  std::uint64_t seed = 1;  // of the starting weights

  std::size_t layers() const { return widths.size() - 1; }
  std::size_t fan_in(std::size_t layer) const { return widths[layer] + (bias ? 1 : 0); }
  std::string network() const;  // 8-6-5-1
};

const std::vector<Case>& all_cases();

// Members of an ensemble, trained together on the rows of one of the cases above: a16.
struct EnsembleCase {
  Case of;  // its goal: the time of a member to libtorch's
  std::size_t members;
  double target_ratio_to_hand;
};

const std::vector<EnsembleCase>& ensemble_cases();

// Row by row.
struct TrainingSet {
  std::vector<float> inputs, targets;
};

// Dense inputs without a zero, targets a smooth function of them.
TrainingSet random_set(const Case& of);

// The first images of MNIST, pixels from 0 to 1 and one target per class, from the original files in
// <data>/mnist.
TrainingSet mnist_set(const Case& of, const std::string& data);

// Where Adam starts: per layer, unit by unit, input by input, the bias last.
std::vector<std::vector<float>> starting_weights(const Case& of);

}  // namespace postrider::bench
