#include "comparison.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <initializer_list>

#include "plain_network.h"

namespace postrider::experiments {
namespace {

constexpr double kFloor = 1e-6;  // of the score that a change is relative to

// The largest difference of two beliefs: of precisions, relative; of tau, in units of a deviation.
double distance(std::span<const WeightBelief> a, std::span<const WeightBelief> b) {
  double out = 0;
  for (std::size_t k = 0; k < a.size(); ++k)
    out = std::max({out, std::abs(a[k].rho - b[k].rho) / b[k].rho,
                    std::abs(a[k].tau - b[k].tau) / std::sqrt(b[k].rho)});
  return out;
}

Distances sweep_first_epoch(const NetworkTask& task, GraphTrainer& graph, PlainNetwork& plain,
                            PlainNetwork& nudged) {
  Distances out;
  for (std::size_t batch = 0; batch < task.batches; ++batch) {
    for (Trainer* trainer : std::initializer_list<Trainer*>{&graph, &plain, &nudged})
      trainer->sweep(batch);
    if (batch == 0) out.batch = distance(graph.weights(), plain.weights());
  }
  out.epoch = distance(graph.weights(), plain.weights());
  out.nudged = distance(nudged.weights(), plain.weights());
  return out;
}

}  // namespace

std::vector<Scores> train(Trainer& trainer, const NetworkTask& task, const Problem& problem,
                          std::span<const double> stops, std::size_t swept) {
  std::vector<Scores> out;
  Scores now;
  for (std::size_t epoch = 1; epoch <= task.epochs && out.size() < stops.size(); ++epoch) {
    for (std::size_t batch = 0; epoch > swept && batch < task.batches; ++batch)
      trainer.sweep(batch);
    const double before = now.training;
    now.training = trainer.score(problem.training);
    now.epochs = static_cast<double>(epoch);
    const double change = std::abs(now.training - before) / std::max(kFloor, std::abs(before));
    const auto stopped = [&](double stop) {
      return epoch == task.epochs || (epoch > 1 && change < stop);
    };
    if (stopped(stops[out.size()])) now.beyond = trainer.score(problem.beyond);
    while (out.size() < stops.size() && stopped(stops[out.size()])) out.push_back(now);
  }
  return out;
}

Outcome compare(const NetworkTask& task, const Problem& problem, graph::Rule rule,
                std::span<const double> stops) {
  Problem beside = problem;
  for (WeightPrior& prior : beside.prior) prior.mean *= 1 + kNudge;
  const bool is_conditioned = rule == graph::Rule::conditioned;
  GraphTrainer graph(task, problem, rule);
  PlainNetwork plain(task, problem, is_conditioned), nudged(task, beside, is_conditioned);

  const auto start = std::chrono::steady_clock::now();
  Outcome out;
  out.distances = sweep_first_epoch(task, graph, plain, nudged);
  out.graph = train(graph, task, problem, stops, 1);
  out.plain = train(plain, task, problem, stops, 1);
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  out.record = graph.record();
  out.refused_quotients = graph.refused_quotients();
  return out;
}

}  // namespace postrider::experiments
