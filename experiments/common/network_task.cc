#include "common/network_task.h"

#include <cmath>
#include <utility>

#include "common/result.h"

namespace postrider::experiments {
using namespace internal;
namespace {

constexpr std::size_t kPointsPerSide = 30;

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

// Kept, since standardising takes longer than an epoch of the small network.
const Features& features_of(const NetworkTask& task) {
  static const Features small(false), large(true);
  return task.is_large ? large : small;
}

}  // namespace

std::size_t NetworkShape::weights() const {
  std::size_t count = 0;
  for (std::size_t l = 1; l < widths.size(); ++l) count += widths[l] * widths[l - 1];
  return count;
}

network::NetworkOptions network_options(const NetworkShape& shape, graph::Rule rule,
                                        network::Precision precision) {
  network::NetworkOptions out;
  out.inputs = shape.inputs();
  out.rule = rule;
  out.precision = precision;
  for (std::size_t l = 1; l < shape.widths.size(); ++l) {
    network::Layer layer{
        .units = shape.widths[l], .activation = network::Activation::identity, .bias = false};
    if (l + 1 < shape.widths.size()) {
      layer.activation = network::Activation::leaky_relu;
      layer.slope = shape.slopes[l - 1];
    }
    out.layers.push_back(layer);
  }
  return out;
}

std::vector<double> evaluate(const NetworkShape& shape, std::span<const double> weights,
                             std::span<const double> inputs) {
  Evaluator evaluator(shape);
  const std::span<const double> found = evaluator(weights, inputs);
  return {found.begin(), found.end()};
}

std::span<const double> Evaluator::operator()(std::span<const double> weights,
                                              std::span<const double> inputs) {
  below_.assign(inputs.begin(), inputs.end());
  std::size_t next = 0;
  for (std::size_t l = 1; l < shape_.widths.size(); ++l) {
    here_.clear();
    for (std::size_t i = 0; i < shape_.widths[l]; ++i) {
      double sum = 0;
      for (const double x : below_) sum += weights[next++] * x;
      const bool is_hidden = l + 1 < shape_.widths.size();
      here_.push_back(is_hidden && sum < 0 ? shape_.slopes[l - 1] * sum : sum);
    }
    below_.swap(here_);
  }
  return below_;
}

NetworkShape NetworkTask::data_shape() const {
  NetworkShape out = shape;
  if (!data_widths.empty()) out.widths = data_widths;
  return out;
}

NetworkTask small_task() {
  return {{{8, 6, 5, 1}, {0.4, 0.8}, 0.04}, false, 200, 10, 200, -2.5, 1.5, 1.5};
}

// Where the direct rule's likelihood goes on oscillating the stopping rule never fires: that run
// ends with the limit.
NetworkTask large_task() {
  return {{{6, 6, 12, 48, 24, 4}, {0.5, 0.5, 0.8, 0.1}, 0.01}, true, 1500, 100, 12, -4, 4, 2};
}

NetworkTask mismatch_task() {
  NetworkTask task = small_task();
  task.low = -5;
  task.high = 5;
  task.data_widths = {8, 12, 10, 1};
  return task;
}

Problem draw(const NetworkTask& task, bool same_means, RandomStream random) {
  Problem out;
  const NetworkShape& shape = task.shape;
  const auto learned_layers = static_cast<double>(shape.widths.size() - 1);
  for (std::size_t l = 1; l < shape.widths.size(); ++l) {
    const auto fan_in = static_cast<double>(shape.widths[l - 1]);
    const double variance = 1 / (learned_layers * fan_in);
    for (std::size_t k = 0; k < shape.widths[l] * shape.widths[l - 1]; ++k) {
      const double mean = random.normal() / std::sqrt(fan_in);
      const double fresh = random.normal() / std::sqrt(fan_in);
      out.truth.push_back(mean + std::sqrt(variance) * random.normal());
      out.prior.push_back({same_means ? mean : fresh, variance});
    }
  }
  const Features& features = features_of(task);
  for (std::size_t n = 0; n < task.examples; ++n) {
    out.places.push_back(random.uniform(task.low, task.high));
    Example example{features(out.places.back()), {}};
    example.targets = evaluate(shape, out.truth, example.inputs);
    for (double& y : example.targets) y += std::sqrt(shape.noise_variance) * random.normal();
    out.training.push_back(std::move(example));
  }
  // The task's own shape also where the data network has another: draw_mismatched() sees to it.
  NetworkTask own = task;
  own.data_widths.clear();
  out.beyond = examples_at(own, out.truth, places_beyond(task, kPointsPerSide));
  return out;
}

Problem draw_mismatched(const NetworkTask& task, RandomStream prior, RandomStream data) {
  NetworkTask wide = task;
  wide.shape = task.data_shape();
  Problem out = draw(wide, false, data);
  out.prior = draw(task, false, prior).prior;
  return out;
}

std::vector<Example> examples_at(const NetworkTask& task, std::span<const double> truth,
                                 std::span<const double> places) {
  const Features& features = features_of(task);
  const NetworkShape shape = task.data_shape();
  std::vector<Example> out;
  for (const double x : places) {
    const std::vector<double> inputs = features(x);
    out.push_back({inputs, evaluate(shape, truth, inputs)});
  }
  return out;
}

std::vector<double> places_beyond(const NetworkTask& task, std::size_t points_per_side) {
  std::vector<double> out;
  for (const double from : {task.low - task.reach, task.high})
    for (const double x : linear_steps(from, from + task.reach, points_per_side)) out.push_back(x);
  return out;
}

}  // namespace postrider::experiments
