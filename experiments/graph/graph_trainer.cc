#include "graph_trainer.h"

namespace postrider::experiments {
namespace {

std::vector<Gaussian> known(std::span<const double> inputs) {
  std::vector<Gaussian> out;
  for (const double x : inputs) out.push_back(Gaussian::point_mass(x));
  return out;
}

}  // namespace

GraphTrainer::GraphTrainer(const NetworkTask& task, const Problem& problem, graph::Rule rule)
    : task_(task),
      problem_(problem),
      network_(network_options(task.shape, rule, network::Precision::float64),
               task.shape.noise_variance),
      stored_(task.batches, std::vector<Gaussian>(problem.prior.size())) {
  for (std::size_t k = 0; k < problem.prior.size(); ++k)
    network_.set_weight(k,
                        Gaussian::from_moments(problem.prior[k].mean, problem.prior[k].variance));
}

// Where the quotient has no positive precision the old message stays in: counted, not hidden.
void GraphTrainer::sweep(std::size_t batch) {
  std::vector<Gaussian>& stored = stored_[batch];
  std::vector<Gaussian> cavity(stored.size());
  for (std::size_t k = 0; k < stored.size(); ++k) {
    const Gaussian belief = network_.weight(k);
    cavity[k] = belief / stored[k];
    if (!cavity[k].is_proper()) {
      ++refused_;
      // Dividing the new belief by this leaves the old message in the stored one, too.
      cavity[k] = belief;
      continue;
    }
    stored[k] = Gaussian::uniform();
    network_.set_weight(k, cavity[k]);
  }
  const std::size_t size = task_.batch_size();
  for (const Example& example : std::span(problem_.training).subspan(batch * size, size))
    network_.learn(known(example.inputs), example.targets);
  for (std::size_t k = 0; k < stored.size(); ++k) stored[k] *= network_.weight(k) / cavity[k];
}

double GraphTrainer::score(std::span<const Example> examples) {
  const NetworkShape& shape = task_.shape;
  double sum = 0;
  for (const Example& example : examples) {
    const std::vector<Gaussian> predicted = network_.predict(known(example.inputs));
    for (std::size_t i = 0; i < predicted.size(); ++i)
      sum -= Gaussian::from_moments(predicted[i].mean(),
                                    predicted[i].variance() + shape.noise_variance)
                 .log_density(example.targets[i]);
  }
  return sum / static_cast<double>(examples.size() * shape.outputs());
}

std::vector<WeightBelief> GraphTrainer::weights() const {
  std::vector<WeightBelief> out;
  for (std::size_t k = 0; k < problem_.prior.size(); ++k) {
    const Gaussian belief = network_.weight(k);
    out.push_back({belief.tau(), belief.rho()});
  }
  return out;
}

}  // namespace postrider::experiments
