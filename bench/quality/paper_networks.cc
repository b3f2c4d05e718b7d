#include "bench/quality/paper_networks.h"

#include <algorithm>
#include <cmath>

#include "bench/common/stopwatch.h"
#include "postrider/error.h"

namespace postrider::bench {
using namespace internal;
namespace {

using experiments::Problem;

// Streams of the wide networks: beyond those of the problems without a mismatch.
constexpr std::uint64_t kWideStreams = 1'000'000;

}  // namespace

std::vector<PaperNetwork> paper_networks() {
  return {{"w83_fresh", experiments::small_task()},
          {"w83_same", experiments::small_task(), true},
          {"w83_mismatch", experiments::mismatch_task(), false, true},
          {"w1932_fresh", experiments::large_task()}};
}

std::vector<PaperNetwork> fresh_networks() {
  const std::vector<PaperNetwork> all = paper_networks();
  return {all.front(), all.back()};
}

Problem draw(const PaperNetwork& network, std::uint64_t seed, std::size_t index) {
  const std::uint64_t stream = 2 * index + (network.task.is_large ? 1 : 0);
  const RandomStream random(seed, stream);
  if (network.is_mismatched)
    return experiments::draw_mismatched(network.task, random,
                                        RandomStream(seed, kWideStreams + index));
  return experiments::draw(network.task, network.same_means, random);
}

Problem nudged(Problem problem, double share) {
  for (experiments::WeightPrior& prior : problem.prior) prior.mean *= 1 + share;
  return problem;
}

Rows rows_of(std::span<const experiments::Example> examples) {
  Rows out;
  for (const experiments::Example& example : examples) {
    out.inputs.insert(out.inputs.end(), example.inputs.begin(), example.inputs.end());
    out.targets.insert(out.targets.end(), example.targets.begin(), example.targets.end());
  }
  return out;
}

network::Network make_network(const PaperNetwork& network, const Problem& problem, graph::Rule rule,
                              network::Precision precision) {
  network::Network out(experiments::network_options(network.task.shape, rule, precision));
  for (std::size_t k = 0; k < problem.prior.size(); ++k)
    out.set_prior(k, Gaussian::from_moments(problem.prior[k].mean, problem.prior[k].variance));
  return out;
}

TrainerOptions paper_training(const PaperNetwork& network, std::size_t epochs) {
  TrainerOptions out;
  out.stopping = TrainerOptions::Stopping::epochs;
  out.max_epochs = epochs;
  out.group_size = network.task.batch_size();
  out.shuffle = TrainerOptions::Shuffle::none;
  out.noise_variance = {network.task.shape.noise_variance};
  out.learn_noise = false;
  return out;
}

Beliefs beliefs_of(const network::Network& network) {
  Beliefs out;
  for (std::size_t k = 0; k < network.weight_count(); ++k) {
    const Gaussian belief = network.weight(k);
    out.push_back({belief.tau(), belief.rho()});
  }
  return out;
}

Difference difference(std::span<const experiments::WeightBelief> found,
                      std::span<const experiments::WeightBelief> expected) {
  std::vector<double> all;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const auto& [tau, rho] = expected[k];
    const double scale = std::max(std::abs(tau), std::sqrt(rho));
    all.push_back(
        std::max(std::abs(found[k].rho - rho) / rho, std::abs(found[k].tau - tau) / scale));
  }
  return {*std::max_element(all.begin(), all.end()), median(all)};
}

Course train_by_sweep(const PaperNetwork& network, const Problem& problem, graph::Rule rule,
                      network::Precision precision, std::size_t epochs) {
  Course out;
  const auto fit = [&](std::span<const experiments::Example> examples, std::size_t count,
                       const std::function<void(const network::Network&)>& see) {
    network::Network trained = make_network(network, problem, rule, precision);
    TrainerOptions options = paper_training(network, count);
    TrainingCallbacks callbacks;
    callbacks.progress = [&](const EpochReport&) {
      see(trained);
      return true;
    };
    const Rows rows = rows_of(examples);
    const FitReport report =
        network::Trainer(trained, options).fit({rows.inputs}, rows.targets, {}, callbacks);
    if (report.reason != FitReport::StopReason::max_epochs)
      reject("network", network.name, "training ended early: a belief was no number");
  };
  fit(std::span(problem.training).first(network.task.batch_size()), 1,
      [&](const network::Network& trained) { out.batch = beliefs_of(trained); });
  fit(problem.training, epochs,
      [&](const network::Network& trained) { out.epochs.push_back(beliefs_of(trained)); });
  return out;
}

}  // namespace postrider::bench
