#include "site_run.h"

#include <cmath>

#include "train/stopping.h"

namespace postrider::experiments {
using namespace internal;
namespace {

constexpr double kHalf = 0.5;     // of the old message, where damped
constexpr double kSlight = 1e-6;  // of the cavity's precision, where clipped to less

// The library's network with these beliefs, to predict with.
network::Network network_of(const NetworkTask& task, const Problem& problem,
                            const SiteNetwork& sites) {
  network::Network out = make_network(task, problem, graph::Rule::conditioned);
  for (std::size_t k = 0; k < sites.beliefs().size(); ++k)
    out.set_prior(k, Gaussian::from_natural(sites.beliefs()[k].tau, sites.beliefs()[k].rho));
  return out;
}

Undefined reason(const SiteCounts& counts) {
  for (std::size_t k = 1; k < kUndefined; ++k)
    if (counts.undefined[k] > 0) return static_cast<Undefined>(k);
  return Undefined::none;
}

}  // namespace

std::vector<SiteMethod> site_methods() {
  using enum Messages;
  using enum NegativePolicy;
  return {{"direct", {direct, keep, 0}},
          {"conditioned", {conditioned, keep, 0}},
          {"plain", {projected, keep, 0}, SiteNetwork::AtUndefined::stop},
          {"keep", {projected, keep, 0}},
          {"skip", {projected, skip, 0}},
          {"skip_damped", {projected, skip, kHalf}},
          {"clip", {projected, clip, 0}},
          {"clip_less", {projected, clip, 0, kSlight}}};
}

SiteRun run_sites(const NetworkTask& task, const Problem& problem, const SiteMethod& method,
                  std::size_t epochs) {
  SiteRun out;
  SiteNetwork sites(task, problem, method.options);
  const TrainerOptions options = paper_training(task, TrainerOptions::Stopping::paper);
  Progress<double> progress;
  for (std::size_t epoch = 1; epoch <= epochs; ++epoch) {
    out.epochs.push_back(sites.sweep(method.at_undefined));
    const Undefined why = reason(out.epochs.back());
    if (method.at_undefined == SiteNetwork::AtUndefined::stop && why != Undefined::none) {
      out.failure = {epoch, sites.examples_swept(), why};
      return out;
    }
    const network::Network network = network_of(task, problem, sites);
    out.curve.push_back(predict(network, task, problem.training).negative_log_likelihood());
    if (out.outcome.has_stopped) continue;
    progress.epoch = epoch;
    progress.training_score_before = progress.training_score;
    progress.training_score = out.curve.back();
    out.outcome.has_stopped = has_converged(options, progress);
    if (!out.outcome.has_stopped && epoch < epochs) continue;
    out.outcome.epochs = out.outcome.kept = static_cast<double>(epoch);
    score(
        task, problem,
        [&](std::span<const Example> examples) { return predict(network, task, examples); },
        out.outcome);
  }
  return out;
}

}  // namespace postrider::experiments
