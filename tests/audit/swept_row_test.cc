#include "audit/swept_row.h"

#include <gtest/gtest.h>

#include "audit/problem.h"

namespace postrider::network {
using namespace internal;
namespace {

constexpr double kSame = 1e-10;

// What a row says to the weights is what the engine that trains multiplies into its beliefs.
TEST(RowSweeper, SaysWhatTheTrainingEngineLearns) {
  for (const graph::Rule rule : {graph::Rule::conditioned, graph::Rule::direct}) {
    const AuditProblem problem = audit_problem(50, 4);
    NetworkOptions options = NetworkOptions::dense(3, {5, 4});
    options.precision = Precision::float64;
    options.rule = rule;
    const AuditedNetwork model = trained(options, problem);
    RowSweeper sweeper(model.network, {problem.inputs, problem.targets}, Likelihood::gaussian,
                       model.noise_variance);
    sweeper.sweep(7);

    Network learned = model.network;
    TrainerOptions training;
    training.noise_variance = model.noise_variance;
    training.learn_noise = false;
    Trainer(learned, training)
        .partial_fit({std::span(problem.inputs).subspan(21, 3)},
                     std::span(problem.targets).subspan(7, 1));
    // Weights of a layer come unit by unit; the sweeper visits those with an input, then the biases.
    std::size_t first = 0, inputs = 3;
    for (const MessageKind& kind : sweeper.kinds()) {
      if (kind.to != "weight") continue;
      const std::size_t units = options.layers[kind.layer].units;
      std::size_t i = 0;
      sweeper.visit(kind, [&](const SentMessage& message, graph::Event) {
        const std::size_t k = i < units * inputs
                                  ? first + i / inputs * (inputs + 1) + i % inputs
                                  : first + (i - units * inputs) * (inputs + 1) + inputs;
        EXPECT_TRUE(equal_within(message.sent * message.incoming[1], learned.weight(k), {kSame}))
            << kind.layer << " " << i;
        ++i;
      });
      EXPECT_EQ(i, units * (inputs + 1));
      first += i;
      inputs = units;
    }
    EXPECT_EQ(first, learned.weight_count());
  }
}

// With two outputs and no hidden layer each weight hears its own output's target and noise: a message
// N(x_j w_j; y - the others, noise + the others), towards w_j divided by x_j.
TEST(RowSweeper, EveryOutputHasItsOwnTargetAndNoise) {
  NetworkOptions options = NetworkOptions::dense(1, {}, 2);
  options.layers.back().bias = false;
  options.precision = Precision::float64;
  const Network network(options);
  const std::vector<double> inputs{0.5, 2}, targets{9, 9, 1, -3}, noise{0.3, 0.7};
  RowSweeper sweeper(network, {Inputs(inputs, 2, 1), targets}, Likelihood::gaussian, noise);
  sweeper.sweep(1);
  std::vector<Gaussian> sent;
  for (const MessageKind& kind : sweeper.kinds())
    if (kind.to == "weight")
      sweeper.visit(
          kind, [&](const SentMessage& message, graph::Event) { sent.push_back(message.sent); });
  ASSERT_EQ(sent.size(), 2U);
  for (std::size_t o = 0; o < 2; ++o)
    EXPECT_TRUE(
        equal_within(sent[o], Gaussian::from_moments(targets[2 + o] / 2, noise[o] / 4), {kSame}))
        << sent[o];
}

}  // namespace
}  // namespace postrider::network
