#include <cmath>

#include "baselines/torch/fleet.h"

namespace postrider::experiments {
namespace {

// libtorch's defaults, which are those of the paper on Adam.
constexpr double kBeta1 = 0.9, kBeta2 = 0.999, kEpsilon = 1e-8;

std::vector<Trainee> trainees_of(const std::vector<AdamTrainee>& all) {
  std::vector<Trainee> out;
  for (const AdamTrainee& one : all) out.push_back(one.trainee);
  return out;
}

std::vector<double> filled(const std::vector<double>& values, std::size_t count) {
  return values.empty() ? std::vector<double>(count, 0) : values;
}

// The state of all networks' optimisers.
class Optimiser {
 public:
  Optimiser(const std::vector<AdamTrainee>& trainees, std::size_t weights) {
    std::vector<double> rates, kept;
    std::vector<std::vector<double>> pulls, centres;
    for (const auto& [trainee, adam] : trainees) {
      rates.push_back(adam.rate);
      kept.push_back(1 - adam.rate * adam.decay);
      pulls.push_back(filled(adam.pull, weights));
      centres.push_back(filled(adam.centre, weights));
    }
    rates_ = column(rates);
    kept_ = column(kept);
    pulls_ = stacked(pulls);
    centres_ = stacked(centres);
    first_ = torch::zeros_like(pulls_);
    second_ = torch::zeros_like(pulls_);
  }

  void step(torch::Tensor& weights, torch::Tensor gradient) {
    ++steps_;
    gradient = gradient + pulls_ * (weights - centres_);
    first_.mul_(kBeta1).add_(gradient, 1 - kBeta1);
    second_.mul_(kBeta2).addcmul_(gradient, gradient, 1 - kBeta2);
    const double first_share = 1 - std::pow(kBeta1, steps_),
                 second_share = 1 - std::pow(kBeta2, steps_);
    const torch::Tensor scale = second_.sqrt().div_(std::sqrt(second_share)).add_(kEpsilon);
    weights.mul_(kept_).sub_(rates_ / first_share * first_ / scale);
  }

 private:
  torch::Tensor rates_, kept_, pulls_, centres_, first_, second_;
  double steps_ = 0;
};

}  // namespace

bool has_gradients() { return true; }

std::vector<Descended> train_by_adam(const GradientShape& shape,
                                     const std::vector<TrainingRows>& sets,
                                     const std::vector<AdamTrainee>& trainees,
                                     const Course& course) {
  use_one_thread();
  const Fleet fleet(shape, sets, trainees_of(trainees));
  Optimiser optimiser(trainees, shape.weights());
  torch::Tensor weights = fleet.start();
  std::vector<torch::Tensor> scores;
  const auto batch = static_cast<std::int64_t>(course.batch);
  for (std::size_t epoch = 0; epoch < course.epochs; ++epoch) {
    for (std::int64_t first = 0; first < fleet.rows(); first += batch)
      optimiser.step(weights,
                     fleet.gradient(weights, first, std::min(batch, fleet.rows() - first)));
    if (course.with_curves) scores.push_back(fleet.scores(weights));
  }
  std::vector<Descended> out;
  for (std::vector<double>& row : unstacked(weights)) out.push_back({std::move(row), {}});
  if (course.with_curves) {
    std::vector<std::vector<double>> curves = unstacked(torch::stack(scores, 1));
    for (std::size_t i = 0; i < out.size(); ++i) out[i].curve = std::move(curves[i]);
  }
  return out;
}

Descended train_by_library_adam(const GradientShape& shape, const TrainingRows& rows,
                                const AdamTrainee& trainee, const Course& course) {
  use_one_thread();
  const Fleet fleet(shape, {rows}, {{0, trainee.trainee.start}});
  torch::Tensor weights = fleet.start().requires_grad_();
  const Adam& adam = trainee.adam;
  std::unique_ptr<torch::optim::Optimizer> optimiser;
  if (adam.decay > 0)
    optimiser = std::make_unique<torch::optim::AdamW>(
        std::vector<torch::Tensor>{weights},
        torch::optim::AdamWOptions(adam.rate).weight_decay(adam.decay));
  else
    optimiser = std::make_unique<torch::optim::Adam>(std::vector<torch::Tensor>{weights},
                                                     torch::optim::AdamOptions(adam.rate));
  const auto batch = static_cast<std::int64_t>(course.batch);
  for (std::size_t epoch = 0; epoch < course.epochs; ++epoch)
    for (std::int64_t first = 0; first < fleet.rows(); first += batch) {
      optimiser->zero_grad();
      fleet.losses(weights, first, std::min(batch, fleet.rows() - first)).sum().backward();
      optimiser->step();
    }
  return {unstacked(weights).front(), {}};
}

}  // namespace postrider::experiments
