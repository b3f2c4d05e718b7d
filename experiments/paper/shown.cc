#include "shown.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace postrider::experiments {
using namespace internal;
namespace {

constexpr std::size_t kPlaces = 161;
constexpr std::size_t kMostExamples = 300;  // drawn; more would hide the curves

// One output's column of row-wise values.
std::vector<double> column(const std::vector<double>& values, std::size_t outputs, std::size_t k) {
  std::vector<double> out;
  for (std::size_t i = k; i < values.size(); i += outputs) out.push_back(values[i]);
  return out;
}

Object trained(const NetworkTask& task, const Problem& problem, graph::Rule rule,
               std::span<const Example> examples) {
  network::Network network = make_network(task, problem, rule);
  const FitReport report =
      fit(network, paper_training(task, TrainerOptions::Stopping::paper), problem);
  Predictions found = predict(network, task, examples);
  for (double& x : found.variance) x = std::sqrt(x);
  std::vector<double> mean, deviation;
  for (std::size_t k = 0; k < network.weight_count(); ++k) {
    mean.push_back(network.weight(k).mean());
    deviation.push_back(network.weight(k).std());
  }
  return {{"epochs", {static_cast<std::int64_t>(report.epochs.size())}},
          {"mean", {by_output(found.mean, task.shape.outputs())}},
          {"deviation", {by_output(found.variance, task.shape.outputs())}},
          {"weight_mean", {mean}},
          {"weight_deviation", {deviation}}};
}

std::vector<double> shown_places(const NetworkTask& task) {
  return linear_steps(task.low - task.reach, task.high + task.reach, kPlaces);
}

}  // namespace

Object by_output(const std::vector<double>& values, std::size_t outputs) {
  Object out;
  for (std::size_t k = 0; k < outputs; ++k)
    out.push_back({fmt::format("{}", k), {column(values, outputs, k)}});
  return out;
}

std::vector<Example> shown_examples(const NetworkTask& task, const Problem& problem) {
  return examples_at(task, problem.truth, shown_places(task));
}

Object shown(const Study& study, const Settings& settings) {
  const NetworkTask& task = study.task;
  const Problem problem = draw(study, false, settings.seed, 0);
  const std::vector<Example> examples = shown_examples(task, problem);
  std::vector<double> truth, targets, widths;
  for (const Example& example : examples)
    truth.insert(truth.end(), example.targets.begin(), example.targets.end());
  const std::size_t drawn = std::min(kMostExamples, problem.training.size());
  for (std::size_t i = 0; i < drawn; ++i)
    targets.insert(targets.end(), problem.training[i].targets.begin(),
                   problem.training[i].targets.end());
  for (const std::size_t width : task.shape.widths) widths.push_back(static_cast<double>(width));
  return {{"low", {task.low}},
          {"high", {task.high}},
          {"widths", {widths}},
          {"x", {shown_places(task)}},
          {"truth", {by_output(truth, task.shape.outputs())}},
          {"training_x",
           {std::vector<double>(problem.places.begin(),
                                problem.places.begin() + static_cast<std::ptrdiff_t>(drawn))}},
          {"training_y", {by_output(targets, task.shape.outputs())}},
          {"direct", {trained(task, problem, graph::Rule::direct, examples)}},
          {"conditioned", {trained(task, problem, graph::Rule::conditioned, examples)}}};
}

}  // namespace postrider::experiments
