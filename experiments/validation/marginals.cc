// Parts 5 and 6: marginals of the product and of the leaky ReLU, exact (importance sampling) and
// with both rules' messages.
#include <cmath>

#include "base/random.h"
#include "histogram.h"
#include "parts.h"
#include "postrider/graph/factor.h"

namespace postrider::experiments {
using namespace internal;
namespace {

constexpr std::size_t kPlotBins = 120;
constexpr double kLeakySlope = 0.1;

// Samples of all variables from the inputs' messages, weighted by the message at the output.
std::vector<Histogram> sampled_marginals(const graph::Factor& factor,
                                         const std::vector<Gaussian>& incoming,
                                         const Settings& settings, std::uint64_t stream) {
  const std::size_t edges = incoming.size();
  std::vector<std::vector<WeightedSample>> samples(edges);
  RandomStream random(settings.seed, stream);
  std::vector<double> inputs(edges - 1);
  for (std::size_t i = 0; i < sample_count(settings); ++i) {
    for (std::size_t k = 1; k < edges; ++k)
      inputs[k - 1] = incoming[k].mean() + incoming[k].std() * random.normal();
    const double output = factor.evaluate(inputs);
    const double weight = std::exp(incoming[0].log_density(output));
    samples[0].push_back({output, weight});
    for (std::size_t k = 1; k < edges; ++k) samples[k].push_back({inputs[k - 1], weight});
  }
  std::vector<Histogram> out;
  for (std::vector<WeightedSample>& of_edge : samples)
    out.push_back(weighted_histogram(std::move(of_edge), kPlotBins));
  return out;
}

Object marginal(const graph::Factor& factor, std::size_t edge,
                const std::vector<Gaussian>& incoming, const Histogram& sampled) {
  Object out{{"bin_edges", {sampled.edges}}, {"sampled_density", {sampled.density}}};
  for (const graph::RuleInfo& rule : factor.info().edges[edge].rules) {
    const Gaussian belief = factor.send(edge, rule.rule, incoming).message * incoming[edge];
    out.push_back({std::string(to_string(rule.rule)),
                   {Object{{"mean", {belief.mean()}},
                           {"deviation", {belief.std()}},
                           {"kl", {sampled.kl_to(belief)}}}}});
  }
  return out;
}

Object scenario(const graph::Factor& factor, const std::vector<Gaussian>& incoming,
                const Settings& settings, std::uint64_t stream) {
  const std::vector<Histogram> sampled = sampled_marginals(factor, incoming, settings, stream);
  Object out;
  for (std::size_t k = 0; k < incoming.size(); ++k)
    out.push_back({factor.info().edges[k].name, {marginal(factor, k, incoming, sampled[k])}});
  return out;
}

}  // namespace

Part product_marginals(const Settings& settings) {
  const auto factor = graph::make_factor("product");
  // Edges z, x, y.
  const std::vector<Gaussian> nominal{Gaussian::from_moments(10, 5), Gaussian::from_moments(3, 1),
                                      Gaussian::from_moments(4, 1)};
  const std::vector<Gaussian> stress{Gaussian::from_moments(-5, 1), Gaussian::from_moments(1, 4),
                                     Gaussian::from_moments(-2.5, 1)};
  return {"product_marginals",
          {{"nominal", {scenario(*factor, nominal, settings, 1)}},
           {"stress", {scenario(*factor, stress, settings, 2)}}},
          {}};
}

Part relu_marginals(const Settings& settings) {
  const auto factor = graph::make_factor("leaky_relu", {{"slope", {kLeakySlope}}});
  // Edges y, x. The paper gives no message from Y: we take N(1, 1).
  const std::vector<Gaussian> nominal{Gaussian::from_moments(1, 1), Gaussian::from_moments(1, 1)};
  return {"relu_marginals",
          {{"slope", {kLeakySlope}},
           {"note", {std::string("message from Y N(1, 1), which the paper does not give")}},
           {"nominal", {scenario(*factor, nominal, settings, 3)}}},
          {}};
}

}  // namespace postrider::experiments
