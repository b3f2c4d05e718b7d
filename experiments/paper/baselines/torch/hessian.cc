#include "baselines/torch/fleet.h"

namespace postrider::experiments {

std::vector<std::vector<double>> hessian_diagonals(const GradientShape& shape,
                                                   const std::vector<TrainingRows>& sets,
                                                   const std::vector<Trainee>& trainees) {
  use_one_thread();
  const Fleet fleet(shape, sets, trainees);
  const torch::Tensor weights = fleet.start().requires_grad_();
  const torch::Tensor total =
      fleet.losses(weights, 0, fleet.rows()).sum() * static_cast<double>(fleet.rows());
  const torch::Tensor gradient =
      torch::autograd::grad({total}, {weights}, {}, /*retain_graph=*/true, /*create_graph=*/true)
          .front();
  std::vector<torch::Tensor> diagonal;
  for (std::int64_t k = 0; k < weights.size(1); ++k)
    diagonal.push_back(torch::autograd::grad({gradient.select(1, k).sum()}, {weights}, {},
                                             /*retain_graph=*/true)
                           .front()
                           .select(1, k));
  return unstacked(torch::stack(diagonal, 1));
}

}  // namespace postrider::experiments
