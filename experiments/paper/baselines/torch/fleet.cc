#include "baselines/torch/fleet.h"

#include <cmath>

namespace postrider::experiments {
namespace {

constexpr double kTwoPi = 6.283185307179586;

// Below this many multiplications per matrix libtorch's batched product has a loop of its own; above
// it calls BLAS matrix by matrix, which costs more than small matrices are worth.
constexpr std::int64_t kSmallProduct = 400;

std::int64_t to_signed(std::size_t count) { return static_cast<std::int64_t>(count); }

torch::Tensor from(const std::vector<double>& values, torch::IntArrayRef sizes) {
  return torch::tensor(torch::ArrayRef<double>(values), torch::kFloat64).reshape(sizes);
}

// Into how many parts to split the rows of a product: 1 if no number of parts makes it small.
std::int64_t parts_of(std::int64_t rows, std::int64_t product_per_row) {
  for (std::int64_t parts = 1; parts <= rows; ++parts)
    if (rows % parts == 0 && rows / parts * product_per_row < kSmallProduct) return parts;
  return 1;
}

// Networks x rows x inputs times networks x units x inputs.
torch::Tensor times(const torch::Tensor& x, const torch::Tensor& weights) {
  const std::int64_t networks = x.size(0), rows = x.size(1), inputs = x.size(2),
                     units = weights.size(1);
  const std::int64_t parts = parts_of(rows, inputs * units);
  const torch::Tensor split = x.reshape({networks * parts, rows / parts, inputs});
  const torch::Tensor repeated = weights.unsqueeze(1)
                                     .expand({networks, parts, units, inputs})
                                     .reshape({networks * parts, units, inputs});
  return torch::bmm(split, repeated.transpose(1, 2)).reshape({networks, rows, units});
}

}  // namespace

void use_one_thread() { at::set_num_threads(1); }

torch::Tensor stacked(const std::vector<std::vector<double>>& rows) {
  std::vector<torch::Tensor> tensors;
  for (const std::vector<double>& row : rows) tensors.push_back(from(row, {to_signed(row.size())}));
  return torch::stack(tensors);
}

std::vector<std::vector<double>> unstacked(const torch::Tensor& rows) {
  std::vector<std::vector<double>> out;
  const torch::Tensor packed = rows.detach().contiguous();
  const double* const values = packed.data_ptr<double>();
  for (std::int64_t i = 0; i < packed.size(0); ++i)
    out.emplace_back(values + i * packed.size(1), values + (i + 1) * packed.size(1));
  return out;
}

torch::Tensor column(const std::vector<double>& values) {
  return from(values, {to_signed(values.size()), 1});
}

Fleet::Fleet(const GradientShape& shape, const std::vector<TrainingRows>& sets,
             const std::vector<Trainee>& trainees)
    : shape_(shape) {
  const std::int64_t inputs = to_signed(shape.widths.front()),
                     outputs = to_signed(shape.widths.back());
  std::vector<torch::Tensor> all_inputs, all_targets;
  for (const Trainee& trainee : trainees) {
    const TrainingRows& set = sets.at(trainee.rows);
    all_inputs.push_back(from(set.inputs, {-1, inputs}));
    all_targets.push_back(from(set.targets, {-1, outputs}));
    start_.push_back(trainee.start);
  }
  inputs_ = torch::stack(all_inputs);
  targets_ = torch::stack(all_targets);
}

torch::Tensor Fleet::start() const { return stacked(start_); }

torch::Tensor Fleet::outputs(const torch::Tensor& weights, torch::Tensor x) const {
  std::int64_t next = 0;
  for (std::size_t l = 1; l < shape_.widths.size(); ++l) {
    const std::int64_t inputs = to_signed(shape_.widths[l - 1]),
                       units = to_signed(shape_.widths[l]);
    x = times(x, weights.narrow(1, next, units * inputs).reshape({-1, units, inputs}));
    if (l + 1 < shape_.widths.size()) x = torch::leaky_relu(x, shape_.slopes[l - 1]);
    next += units * inputs;
  }
  return x;
}

torch::Tensor Fleet::losses(const torch::Tensor& weights, std::int64_t first,
                            std::int64_t count) const {
  const torch::Tensor gaps =
      outputs(weights, inputs_.narrow(1, first, count)) - targets_.narrow(1, first, count);
  const double noise = shape_.noise_variance;
  const double constant = static_cast<double>(shape_.widths.back()) * std::log(kTwoPi * noise) / 2;
  return gaps.square().sum({1, 2}) / (2 * noise * static_cast<double>(count)) + constant;
}

torch::Tensor Fleet::gradient(const torch::Tensor& weights, std::int64_t first,
                              std::int64_t count) const {
  const torch::Tensor variable = weights.detach().requires_grad_();
  // No network's weights are in another's loss: the sum keeps their derivatives apart.
  return torch::autograd::grad({losses(variable, first, count).sum()}, {variable}).front();
}

torch::Tensor Fleet::scores(const torch::Tensor& weights) const {
  const torch::NoGradGuard constant;
  return losses(weights, 0, rows()) / static_cast<double>(shape_.widths.back());
}

}  // namespace postrider::experiments
