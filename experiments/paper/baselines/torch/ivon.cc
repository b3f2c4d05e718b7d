#include <cmath>

#include "baselines/torch/fleet.h"

namespace postrider::experiments {
namespace {

std::vector<Trainee> trainees_of(const std::vector<IvonTrainee>& all) {
  std::vector<Trainee> out;
  for (const IvonTrainee& one : all) out.push_back(one.trainee);
  return out;
}

// One value of the settings per network.
torch::Tensor column_of(const std::vector<IvonTrainee>& all,
                        const std::function<double(const Ivon&)>& value) {
  std::vector<double> out;
  for (const IvonTrainee& one : all) out.push_back(value(one.ivon));
  return column(out);
}

// Names as in the algorithm: m and sigma are the weights' distribution, h the curvature of the mean
// loss, g its gradient averaged over steps.
class Posterior {
 public:
  Posterior(const std::vector<IvonTrainee>& trainees, torch::Tensor start, double rows)
      : m(std::move(start)),
        delta_(column_of(trainees, [](const Ivon& ivon) { return ivon.delta; })),
        beta1_(column_of(trainees, [](const Ivon& ivon) { return ivon.beta1; })),
        beta2_(column_of(trainees, [](const Ivon& ivon) { return ivon.beta2; })),
        rate_(column_of(trainees,
                        [](const Ivon& ivon) {
                          const double scale =
                              ivon.has_scaled_rate ? ivon.first_curvature + ivon.delta : 1;
                          return ivon.rate * scale;
                        })),
        rows_(rows),
        h_(column_of(trainees, [](const Ivon& ivon) { return ivon.first_curvature; })
               .expand_as(m)
               .clone()),
        g_(torch::zeros_like(m)) {}

  torch::Tensor sigma() const { return (rows_ * (h_ + delta_)).rsqrt(); }

  // After the gradient at m + sigma x noise.
  void step(const torch::Tensor& gradient, const torch::Tensor& noise) {
    ++steps_;
    const torch::Tensor found = gradient * noise / sigma();
    g_ = beta1_ * g_ + (1 - beta1_) * gradient;
    // The last term keeps h + delta positive, whatever was found.
    const torch::Tensor old = h_ + delta_, change = (1 - beta2_) * (h_ - found);
    h_ = h_ - change + change.square() / (2 * old);
    const torch::Tensor mean_gradient = g_ / (1 - beta1_.pow(steps_));
    m = m - rate_ * (mean_gradient + delta_ * m) / (h_ + delta_);
  }

  torch::Tensor m;

 private:
  torch::Tensor delta_, beta1_, beta2_, rate_;
  double rows_;
  torch::Tensor h_, g_;
  double steps_ = 0;
};

}  // namespace

std::vector<Varied> train_by_ivon(const GradientShape& shape, const std::vector<TrainingRows>& sets,
                                  const std::vector<IvonTrainee>& trainees, std::size_t epochs,
                                  const Normals& normals) {
  use_one_thread();
  const Fleet fleet(shape, sets, trainees_of(trainees));
  Posterior posterior(trainees, fleet.start(), static_cast<double>(fleet.rows()));
  torch::Tensor noise = torch::empty_like(posterior.m);
  const std::size_t count = shape.weights();
  std::vector<torch::Tensor> scores;
  for (std::size_t epoch = 0; epoch < epochs; ++epoch) {
    for (std::size_t i = 0; i < trainees.size(); ++i)
      normals(i, noise.data_ptr<double>() + i * count, count);
    posterior.step(fleet.gradient(posterior.m + posterior.sigma() * noise, 0, fleet.rows()), noise);
    scores.push_back(fleet.scores(posterior.m));
  }
  std::vector<std::vector<double>> means = unstacked(posterior.m),
                                   deviations = unstacked(posterior.sigma()),
                                   curves = unstacked(torch::stack(scores, 1));
  std::vector<Varied> out;
  for (std::size_t i = 0; i < trainees.size(); ++i)
    out.push_back({std::move(means[i]), std::move(deviations[i]), std::move(curves[i])});
  return out;
}

}  // namespace postrider::experiments
