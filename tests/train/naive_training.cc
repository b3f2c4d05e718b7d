// Training step by step as the header describes it, on the naive network, against the trainer.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "network/same_network.h"
#include "postrider/network/trainer.h"
#include "train/problem.h"

namespace postrider::network {
using namespace internal;
namespace {

// The relative accuracy of a belief; a few thousand messages in double.
constexpr double kDouble = 1e-10;
// With a noise variance that was searched to six digits.
constexpr double kSearched = 2e-5;

// The epochs of a training run, with groups in the order of the rows.
class NaiveTrainer {
 public:
  NaiveTrainer(const Network& network, const Problem& problem, const TrainerOptions& options,
               double power)
      : network_(same_network(network)),
        problem_(problem),
        options_(options),
        power_(power),
        noise_(problem.outputs,
               options.noise_variance.empty() ? 0.5 : options.noise_variance.front()) {
    const std::size_t groups = (problem.size() + options.group_size - 1) / options.group_size;
    stored_.resize(groups, std::vector<naive::Natural>(network_.weights.size()));
  }

  // The score.
  double run_epoch() {
    residuals_.assign(problem_.outputs, {});
    log_likelihood_ = 0;
    for (std::size_t g = 0; g < stored_.size(); g += options_.parallel_groups) {
      const std::vector<naive::Natural> snapshot = network_.weights;
      std::vector<naive::Natural> next = snapshot;
      for (std::size_t k = g; k < std::min(g + options_.parallel_groups, stored_.size()); ++k) {
        network_.weights = snapshot;
        refresh(k);
        for (std::size_t i = 0; i < next.size(); ++i) {
          next[i].tau += network_.weights[i].tau - snapshot[i].tau;
          next[i].rho += network_.weights[i].rho - snapshot[i].rho;
        }
      }
      network_.weights = next;
    }
    std::size_t count = 0;
    for (const auto& of_output : residuals_) count += of_output.size();
    if (options_.learn_noise) learn_noise();
    is_first_ = false;
    return static_cast<double>(log_likelihood_) / static_cast<double>(count);
  }

  std::vector<Gaussian> beliefs() const {
    std::vector<Gaussian> out;
    for (const naive::Natural& weight : network_.weights)
      out.push_back(
          Gaussian::from_natural(static_cast<double>(weight.tau), static_cast<double>(weight.rho)));
    return out;
  }
  const std::vector<naive::Real>& noise() const { return noise_; }

 private:
  struct Residual {
    naive::Real square, variance;
  };

  auto inputs_of(std::size_t row) const {
    return messages_of(problem_.rows(), row, problem_.inputs);
  }
  std::vector<naive::Real> targets_of(std::size_t row) const {
    const std::size_t outputs = problem_.outputs;
    return {problem_.y.begin() + static_cast<long>(row * outputs),
            problem_.y.begin() + static_cast<long>((row + 1) * outputs)};
  }

  void refresh(std::size_t group) {
    std::vector<naive::Natural>& message = stored_[group];
    const std::size_t first = group * options_.group_size;
    const std::size_t end = std::min(first + options_.group_size, problem_.size());
    if (options_.damping > 0) {
      // Scores and noise come from predictions that have seen nothing of the group.
      naive::Network without = network_;
      for (std::size_t i = 0; i < message.size(); ++i) {
        without.weights[i].tau -= message[i].tau;
        without.weights[i].rho -= message[i].rho;
      }
      for (std::size_t row = first; row < end; ++row) {
        naive::Network copy = without;
        assess(row, copy.learn(inputs_of(row), targets_of(row), noise_, 1));
      }
    }
    for (std::size_t i = 0; i < message.size(); ++i) {
      network_.weights[i].tau -= (1 - options_.damping) * message[i].tau;
      network_.weights[i].rho -= (1 - options_.damping) * message[i].rho;
    }
    const std::vector<naive::Natural> cavity = network_.weights;
    for (std::size_t row = first; row < end; ++row) {
      const std::vector<naive::Moments> predicted =
          network_.learn(inputs_of(row), targets_of(row), noise_, power_ * (1 - options_.damping));
      if (options_.damping == 0) assess(row, predicted);
    }
    for (std::size_t i = 0; i < message.size(); ++i) {
      const naive::Real kept = 1 - static_cast<naive::Real>((1 - options_.damping));
      message[i].tau = kept * message[i].tau + network_.weights[i].tau - cavity[i].tau;
      message[i].rho = kept * message[i].rho + network_.weights[i].rho - cavity[i].rho;
    }
  }

  void assess(std::size_t row, const std::vector<naive::Moments>& predicted) {
    const std::vector<naive::Real> targets = targets_of(row);
    for (std::size_t o = 0; o < problem_.outputs; ++o) {
      if (std::isnan(targets[o])) continue;
      const naive::Moments with_noise{predicted[o].mean, predicted[o].variance + noise_[o]};
      const naive::Real gap = targets[o] - with_noise.mean;
      log_likelihood_ += std::log(naive::density(targets[o], with_noise));
      residuals_[o].push_back({gap * gap, predicted[o].variance});
    }
  }

  // By a search over a grid that grows finer, then half a step in the logarithm.
  void learn_noise() {
    for (std::size_t o = 0; o < problem_.outputs; ++o) {
      if (residuals_[o].empty()) continue;
      naive::Real best = 0, best_value = -std::numeric_limits<naive::Real>::infinity();
      for (naive::Real centre = -6, width = 6; width > 1e-9L; width /= 4, centre = best)
        for (int step = -100; step <= 100; ++step) {
          const naive::Real log_noise = centre + width * step / 100;
          naive::Real value = 0;
          for (const Residual& residual : residuals_[o]) {
            const naive::Real total = residual.variance + std::exp(log_noise);
            value -= std::log(total) + residual.square / total;
          }
          if (value <= best_value) continue;
          best_value = value;
          best = log_noise;
        }
      const naive::Real least = std::log(noise_[o] / 4);
      if (is_first_) best = std::max(best, least);
      noise_[o] = std::exp((std::log(noise_[o]) + best) / 2);
    }
  }

  naive::Network network_;
  const Problem& problem_;
  TrainerOptions options_;
  double power_;
  std::vector<naive::Real> noise_;
  std::vector<std::vector<naive::Natural>> stored_;
  std::vector<std::vector<Residual>> residuals_;
  naive::Real log_likelihood_ = 0;
  bool is_first_ = true;
};

constexpr std::size_t kEpochs = 3;

void expect_naive_training(const NetworkOptions& network_options, TrainerOptions options,
                           const Problem& problem, double tolerance, double power = 1) {
  options.max_epochs = kEpochs;
  options.stopping = TrainerOptions::Stopping::epochs;
  options.shuffle = TrainerOptions::Shuffle::none;
  options.block = 1;
  Network network(network_options);
  NaiveTrainer naive(network, problem, options, power);
  std::vector<double> scores;
  for (std::size_t epoch = 0; epoch < kEpochs; ++epoch) scores.push_back(naive.run_epoch());

  Trainer trainer(network, options, {.power = power});
  const FitReport report = trainer.fit(problem.rows(), problem.y);
  ASSERT_EQ(report.epochs.size(), kEpochs);
  for (std::size_t epoch = 0; epoch < kEpochs; ++epoch)
    EXPECT_NEAR(report.epochs[epoch].score, scores[epoch], tolerance);
  expect_close(beliefs_of(network), naive.beliefs(), tolerance);
  for (std::size_t o = 0; o < problem.outputs; ++o)
    EXPECT_NEAR(trainer.noise_variance()[o], static_cast<double>(naive.noise()[o]),
                tolerance * trainer.noise_variance()[o]);
}

TrainerOptions fixed_noise(std::size_t group_size) {
  TrainerOptions out;
  out.group_size = group_size;
  out.learn_noise = false;
  out.noise_variance = {0.2};
  return out;
}

TEST(NaiveTraining, OneLinearUnit) {
  const Problem problem = bent_plane(23);
  for (const std::size_t group_size : {1U, 2U, 7U, 23U})
    expect_naive_training(small_network(Precision::float64, {}), fixed_noise(group_size), problem,
                          kDouble);
}

TEST(NaiveTraining, HiddenLayers) {
  const Problem problem = bent_plane(19, 2);
  for (const auto& hidden : {std::vector<std::size_t>{4}, {3, 20}})
    for (const std::size_t group_size : {1U, 4U, 19U}) {
      NetworkOptions network = small_network(Precision::float64, hidden, 2);
      network.layers[0].activation_prior_variance = 4;
      expect_naive_training(network, fixed_noise(group_size), problem, kDouble);
      network.layers[0].activation = Activation::relu;
      network.layers[0].bias = false;
      network.layers[0].activation_prior_variance = {};
      expect_naive_training(network, fixed_noise(group_size), problem, kDouble);
    }
}

TEST(NaiveTraining, DirectRule) {
  const Problem problem = bent_plane(19);
  for (const std::size_t group_size : {1U, 5U}) {
    NetworkOptions network = small_network(Precision::float64, {4});
    network.rule = graph::Rule::direct;
    expect_naive_training(network, fixed_noise(group_size), problem, kDouble);
  }
}

TEST(NaiveTraining, Power) {
  const Problem problem = bent_plane(12);
  for (const graph::Rule rule : {graph::Rule::conditioned, graph::Rule::direct})
    for (const double power : {0.5, 1.3}) {
      NetworkOptions network = small_network(Precision::float64, {3});
      network.rule = rule;
      expect_naive_training(network, fixed_noise(2), problem, kDouble, power);
    }
}

TEST(NaiveTraining, Damping) {
  const Problem problem = bent_plane(12);
  constexpr double kPower = 3;
  for (const double damping : {0.3, 0.75}) {
    TrainerOptions options = fixed_noise(2);
    options.damping = damping;
    const NetworkOptions network = small_network(Precision::float64, {3});
    expect_naive_training(network, options, problem, kDouble, kPower);
    options.parallel_groups = 2;
    expect_naive_training(network, options, problem, kDouble, kPower);
  }
}

TEST(NaiveTraining, ParallelGroups) {
  const Problem problem = bent_plane(30);
  TrainerOptions options = fixed_noise(3);
  options.parallel_groups = 4;
  expect_naive_training(small_network(Precision::float64, {4}), options, problem, kDouble);
}

TEST(NaiveTraining, MissingInputsAndTargets) {
  constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
  Problem problem = bent_plane(20, 2);
  for (const std::size_t i : {0U, 7U, 12U, 13U}) problem.x[i] = kMissing;
  for (const std::size_t i : {1U, 6U, 10U, 11U, 30U}) problem.y[i] = kMissing;
  for (const graph::Rule rule : {graph::Rule::conditioned, graph::Rule::direct}) {
    NetworkOptions network = small_network(Precision::float64, {4}, 2);
    network.rule = rule;
    expect_naive_training(network, fixed_noise(3), problem, kDouble);
  }
}

TEST(NaiveTraining, LearnedNoise) {
  const Problem problem = bent_plane(60, 2);
  TrainerOptions options;
  options.group_size = 1;
  expect_naive_training(small_network(Precision::float64, {4}, 2), options, problem, kSearched);
}

}  // namespace
}  // namespace postrider::network
