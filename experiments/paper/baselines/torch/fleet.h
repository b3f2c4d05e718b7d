// Many networks of one shape as tensors whose first dimension is the network.
#pragma once

#include <torch/torch.h>

#include "baselines/gradient.h"

namespace postrider::experiments {

// For the thread that calls: the callers share out networks among threads themselves.
void use_one_thread();

// One row per network.
torch::Tensor stacked(const std::vector<std::vector<double>>& rows);
std::vector<std::vector<double>> unstacked(const torch::Tensor& rows);
// One value per network, as a column.
torch::Tensor column(const std::vector<double>& values);

class Fleet {
 public:
  Fleet(const GradientShape& shape, const std::vector<TrainingRows>& sets,
        const std::vector<Trainee>& trainees);

  std::int64_t rows() const { return inputs_.size(1); }

  // Networks x weights, where training starts.
  torch::Tensor start() const;

  // Per network: the negative log-likelihood of so many rows from `first` on, mean over rows and sum
  // over outputs.
  torch::Tensor losses(const torch::Tensor& weights, std::int64_t first, std::int64_t count) const;
  // The derivative of each network's loss by its own weights.
  torch::Tensor gradient(const torch::Tensor& weights, std::int64_t first,
                         std::int64_t count) const;

  // Per network: the training NLL per row and output.
  torch::Tensor scores(const torch::Tensor& weights) const;

 private:
  torch::Tensor outputs(const torch::Tensor& weights, torch::Tensor x) const;

  GradientShape shape_;
  std::vector<std::vector<double>> start_;
  torch::Tensor inputs_, targets_;  // networks x rows x inputs or outputs
};

}  // namespace postrider::experiments
