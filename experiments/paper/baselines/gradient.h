// Gradient methods on libtorch, many networks of one shape at once: libtorch spends microseconds on
// every call, whatever its size, so that one call has to serve them all. No C++20 and no libtorch
// here: its headers are compiled apart from ours, as C++17.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace postrider::experiments {

// False in a build without libtorch, where nothing below may be called.
bool has_gradients();

// Widths from the inputs to the outputs; leaky ReLU behind each hidden layer.
struct GradientShape {
  std::vector<std::size_t> widths;
  std::vector<double> slopes;
  double noise_variance;  // of the Gaussian likelihood

  std::size_t weights() const {
    std::size_t count = 0;
    for (std::size_t l = 1; l < widths.size(); ++l) count += widths[l] * widths[l - 1];
    return count;
  }
};

// Row by row.
struct TrainingRows {
  std::vector<double> inputs, targets;
};

// One of the networks. Weights are numbered layer by layer, unit by unit, input by input.
struct Trainee {
  std::size_t rows = 0;  // which of the training sets
  std::vector<double> start = {};
};

struct Adam {
  double rate = 0;
  double decay = 0;  // AdamW's: weights shrink by rate x decay per step, beside the gradient
  // Part of the loss: pull / 2 x (weight - centre)^2 for each weight; none if empty.
  std::vector<double> pull = {}, centre = {};
};

struct AdamTrainee {
  Trainee trainee = {};
  Adam adam = {};
};

struct Course {
  std::size_t epochs, batch;  // rows in the order given
  bool with_curves = false;
};

struct Descended {
  std::vector<double> weights;
  std::vector<double> curve;  // training NLL per row and output after each epoch
};

// Minimises the mean negative log-likelihood of a row, summed over outputs, plus the pulls.
std::vector<Descended> train_by_adam(const GradientShape& shape,
                                     const std::vector<TrainingRows>& sets,
                                     const std::vector<AdamTrainee>& trainees,
                                     const Course& course);

// The same for one network, by libtorch's own Adam, or AdamW if there is a decay.
Descended train_by_library_adam(const GradientShape& shape, const TrainingRows& rows,
                                const AdamTrainee& trainee, const Course& course);

// Shen et al. 2024, Algorithm 1, on all rows at once. The prior of a weight is
// N(0, 1 / (rows x delta)).
struct Ivon {
  double rate, beta2, delta;
  double beta1 = 0.9;
  double first_curvature = 1;    // h at the start
  bool has_scaled_rate = false;  // rate x (first curvature + delta), the algorithm's option
};

struct IvonTrainee {
  Trainee trainee;
  Ivon ivon;
};

struct Varied {
  std::vector<double> mean, deviation;  // of the weights
  std::vector<double> curve;            // training NLL per row and output, of the mean weights
};

// Standard normal numbers for the step of one trainee.
using Normals = std::function<void(std::size_t trainee, double* out, std::size_t count)>;

std::vector<Varied> train_by_ivon(const GradientShape& shape, const std::vector<TrainingRows>& sets,
                                  const std::vector<IvonTrainee>& trainees, std::size_t epochs,
                                  const Normals& normals);

// Per network: the diagonal of the Hessian of the negative log-likelihood, summed over its rows, by
// differentiating twice.
std::vector<std::vector<double>> hessian_diagonals(const GradientShape& shape,
                                                   const std::vector<TrainingRows>& sets,
                                                   const std::vector<Trainee>& trainees);

}  // namespace postrider::experiments
