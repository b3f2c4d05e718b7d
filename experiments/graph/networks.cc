// The paper's two regression networks, trained by its algorithm on a graph of one example.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>

#include "base/random.h"
#include "base/workers.h"
#include "network.h"
#include "parts.h"

namespace postrider::experiments {
namespace {

constexpr std::size_t kSeeds = 20, kQuickSeeds = 3;
constexpr double kStop = 0.1, kFloor = 1e-6;  // relative change of the log-likelihood
constexpr std::size_t kPointsPerSide = 30;
// The median of n draws from a bell of this interquartile range strays by 0.93 IQR / sqrt(n), the
// difference of two such medians by sqrt(2) times that. Three of these pass as close.
constexpr double kStray = 3 * std::numbers::sqrt2 * 0.93;

struct Task {
  NetworkShape shape;
  bool is_large;  // which feature map
  std::size_t examples, batches, epochs;
  double low, high, reach;  // inputs, and how far beyond them the extrapolation goes
};

Task small_task() { return {{{8, 6, 5, 1}, {0.4, 0.8}, 0.04}, false, 200, 10, 200, -2.5, 1.5, 1.5}; }

Task large_task() {
  return {{{6, 6, 12, 48, 24, 4}, {0.5, 0.5, 0.8, 0.1}, 0.01}, true, 1500, 100, 100, -4, 4, 2};
}

// The fixed first layer: bumps and waves, standardised over [-5, 5], and a constant.
class Features {
 public:
  explicit Features(bool is_large) : is_large_(is_large) {
    const std::vector<double> grid = linear_steps(-5, 5, 1001);
    mean_.resize(raw(0).size());
    deviation_.resize(mean_.size());
    for (std::size_t k = 0; k < mean_.size(); ++k) {
      for (const double x : grid) mean_[k] += raw(x)[k] / static_cast<double>(grid.size());
      double variance = 0;
      for (const double x : grid)
        variance += std::pow(raw(x)[k] - mean_[k], 2) / static_cast<double>(grid.size());
      deviation_[k] = std::sqrt(variance);
    }
  }

  std::vector<double> operator()(double x) const {
    std::vector<double> out = raw(x);
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = (out[k] - mean_[k]) / deviation_[k];
    out.push_back(1);
    return out;
  }

 private:
  std::vector<double> raw(double x) const {
    const auto bump = [x](double centre) { return std::exp(-(x - centre) * (x - centre)); };
    if (is_large_) return {x, bump(-1), bump(0), bump(1), std::sin(x)};
    return {x, bump(-2), bump(-1), bump(0), bump(1), bump(2), std::sin(x)};
  }

  bool is_large_;
  std::vector<double> mean_, deviation_;
};

struct Example {
  std::vector<double> inputs, targets;
};

// What one seed draws: equal for both rules, and but for the prior means for both kinds of prior.
struct Problem {
  std::vector<Gaussian> prior;
  std::vector<Example> training, beyond;  // the targets beyond are without noise
};

Problem draw(const Task& task, bool same_means, RandomStream random) {
  Problem out;
  const NetworkShape& shape = task.shape;
  const auto learned_layers = static_cast<double>(shape.widths.size() - 1);
  std::vector<double> truth;
  for (std::size_t l = 1; l < shape.widths.size(); ++l) {
    const auto fan_in = static_cast<double>(shape.widths[l - 1]);
    const double variance = 1 / (learned_layers * fan_in);
    for (std::size_t k = 0; k < shape.widths[l] * shape.widths[l - 1]; ++k) {
      const double mean = random.normal() / std::sqrt(fan_in);
      const double fresh = random.normal() / std::sqrt(fan_in);
      truth.push_back(mean + std::sqrt(variance) * random.normal());
      out.prior.push_back(Gaussian::from_moments(same_means ? mean : fresh, variance));
    }
  }
  const Features features(task.is_large);
  for (std::size_t n = 0; n < task.examples; ++n) {
    Example example{features(random.uniform(task.low, task.high)), {}};
    example.targets = evaluate(shape, truth, example.inputs);
    for (double& y : example.targets) y += std::sqrt(shape.noise_variance) * random.normal();
    out.training.push_back(std::move(example));
  }
  for (const double from : {task.low - task.reach, task.high})
    for (const double x : linear_steps(from, from + task.reach, kPointsPerSide)) {
      const std::vector<double> inputs = features(x);
      out.beyond.push_back({inputs, evaluate(shape, truth, inputs)});
    }
  return out;
}

// Negative log-likelihood per example and output.
double score(Network& network, const NetworkShape& shape, const std::vector<Example>& examples) {
  double sum = 0;
  for (const Example& example : examples) {
    const std::vector<Gaussian> predicted = network.predict(example.inputs);
    for (std::size_t i = 0; i < predicted.size(); ++i)
      sum -= Gaussian::from_moments(predicted[i].mean(),
                                    predicted[i].variance() + shape.noise_variance)
                 .log_density(example.targets[i]);
  }
  return sum / static_cast<double>(examples.size() * shape.outputs());
}

struct Outcome {
  double training = 0, beyond = 0, epochs = 0, seconds = 0;
  std::size_t refused_quotients = 0;
  Record record;
};

// Takes the batch's old message out of the weights, sweeps its examples and stores what they say
// now. Where the quotient has no positive precision the old message stays in: counted, not hidden.
std::size_t sweep(Network& network, std::span<const Example> batch, std::vector<Gaussian>& stored) {
  std::size_t refused = 0;
  std::vector<Gaussian> cavity(stored.size());
  for (std::size_t k = 0; k < stored.size(); ++k) {
    const Gaussian belief = network.weight(k);
    cavity[k] = belief / stored[k];
    if (!cavity[k].is_proper()) {
      ++refused;
      // Dividing the new belief by this leaves the old message in the stored one, too.
      cavity[k] = belief;
      continue;
    }
    stored[k] = Gaussian::uniform();
    network.set_weight(k, cavity[k]);
  }
  for (const Example& example : batch) network.learn(example.inputs, example.targets);
  for (std::size_t k = 0; k < stored.size(); ++k) stored[k] *= network.weight(k) / cavity[k];
  return refused;
}

Outcome train(const Task& task, const Problem& problem, Rule rule, std::size_t epochs) {
  const auto start = std::chrono::steady_clock::now();
  Network network(task.shape, rule);
  for (std::size_t k = 0; k < problem.prior.size(); ++k) network.set_weight(k, problem.prior[k]);
  std::vector<std::vector<Gaussian>> stored(task.batches,
                                            std::vector<Gaussian>(problem.prior.size()));
  const std::size_t size = task.examples / task.batches;
  Outcome out;
  for (std::size_t epoch = 1; epoch <= epochs; ++epoch) {
    for (std::size_t b = 0; b < task.batches; ++b)
      out.refused_quotients +=
          sweep(network, std::span(problem.training).subspan(b * size, size), stored[b]);
    const double before = out.training;
    out.training = score(network, task.shape, problem.training);
    out.epochs = static_cast<double>(epoch);
    const double change = std::abs(out.training - before) / std::max(kFloor, std::abs(before));
    if (epoch > 1 && change < kStop) break;
  }
  out.beyond = score(network, task.shape, problem.beyond);
  out.record = network.record();
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return out;
}

struct Spread {
  double median, range;  // between the quartiles
};

Spread spread(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto quantile = [&](double share) {
    const double place = share * static_cast<double>(values.size() - 1);
    const auto i = static_cast<std::size_t>(place);
    const std::size_t j = std::min(i + 1, values.size() - 1);
    return std::lerp(values[i], values[j], place - static_cast<double>(i));
  };
  return {quantile(0.5), quantile(0.75) - quantile(0.25)};
}

// What an independent program on plain arrays, with its own random numbers, found over 20 seeds.
struct Reference {
  Spread training, beyond, epochs;
};

struct Run {
  std::string name;
  Task task;
  bool same_means;
  Rule rule;
  std::uint64_t first_stream;
  Reference reference;
};

Object describe(const Spread& found, const Spread& reference) {
  return {{"median", {found.median}},
          {"iqr", {found.range}},
          {"reference_median", {reference.median}},
          {"reference_iqr", {reference.range}}};
}

Claim is_close(const std::string& name, const Spread& found, const Spread& reference) {
  const double allowed = kStray * std::max(found.range, reference.range) / std::sqrt(kSeeds);
  return {fmt::format("{}: median {:.3f} [{:.2f}], on plain arrays {:.3f} [{:.2f}]; may differ by "
                      "{:.2f}",
                      name, found.median, found.range, reference.median, reference.range, allowed),
          std::abs(found.median - reference.median) <= allowed};
}
