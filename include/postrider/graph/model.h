// Models of unknown numbers that one Gaussian belief describes together: regressions, state-space models, poses, Gaussian processes, and
// likelihoods of linear combinations of them.
//
// Where a model is linear and Gaussian the belief is exact, correlations and evidence included. Elsewhere it is found by expectation
// propagation; check() says how far it can be trusted. Use FactorGraph where variables are many millions, or new readings come one at a time.
//
//   graph::Model model;
//   const auto w = model.add_variables(2);
//   const std::vector<std::uint32_t> both{w, w + 1};
//   model.add_gaussian({both, {1, 0, 0, 1}}, {0, 0}, {3, 3});             // w ~ N(0, 3^2)
//   model.add_likelihood("bernoulli_probit", {both, x}, labels);          // P(label) = Phi(x' w)
//   if (model.infer().converged) std::cout << model.mean(w) << " +- " << model.deviation(w);
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "postrider/export.h"
#include "postrider/graph/log_density.h"

namespace postrider::graph {

class POSTRIDER_EXPORT Model {
 public:
  Model();
  ~Model();
  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;

  // Linear combinations z of variables, row by row: variables stand once for all rows, or for each; weights for each row and each edge.
  // A variable may stand more than once in a row.
  struct Combinations {
    std::span<const std::uint32_t> variables;
    std::span<const double> weights;
    std::size_t width;  // variables of one row
  };
  // A plate is all that was added by one call; numbers count from 0, whatever kinds they are of.
  using Plate = std::size_t;

  // Returns the first of `count` consecutive variables. They have no prior: it is added as any other factor.
  std::uint32_t add_variables(std::size_t count);
  std::size_t variable_count() const;

  // N(z; target, deviation^2), a row each. A single deviation is that of all rows.
  Plate add_gaussian(const Combinations& z, std::span<const double> targets,
                     std::span<const double> deviations);
  // exp(log_scale - (x - mean)' precision (x - mean)/2) of `width` variables at once. Precision, mean and scale stand once, or for each row.
  Plate add_block(std::span<const std::uint32_t> variables, std::size_t width,
                  std::span<const double> precision, std::span<const double> means,
                  std::span<const double> log_scales);
  // Observed numbers whose likelihood has a name (likelihoods() lists them), given z + offset: of each row, or of
  // each edge of each row. Parameters stand once, or for each row.
  struct Observed {
    std::span<const double> y;
    std::span<const double> parameters = {}, second_parameters = {};
    std::span<const double> offsets = {};
  };
  Plate add_likelihood(std::string_view name, const Combinations& z, const Observed& observed);
  // A factor of one to three edges given by its logarithm. Unless it is concave, messages may take precision away.
  Plate add_density(LogDensityOfRows log_density, std::size_t edges, const Combinations& z,
                    bool is_log_concave);
  static std::vector<std::string> likelihoods();

  // Other numbers for a plate of the same shape: what a hyperparameter changes. Empty spans leave what is there.
  void change_gaussian(Plate plate, std::span<const double> weights,
                       std::span<const double> targets, std::span<const double> deviations);
  void change_block(Plate plate, std::span<const double> precision, std::span<const double> means,
                    std::span<const double> log_scales);
  // Takes a plate out again: the model is as if it had never been added. Numbers of other plates stay.
  void remove(Plate plate);

  struct Report {
    std::size_t sweeps = 0;  // of all likelihoods
    bool converged = false;
    std::vector<double>
        change;  // of each sweep, the largest of a message, in shares and deviations of the belief
    std::size_t held = 0;    // messages at their least precision, in the last sweep
    std::size_t kept = 0;    // messages without a proper successor, in the last sweep
    std::size_t damped = 0;  // sweeps that went part of the way
  };
  struct Options {
    std::size_t limit = 200;                           // sweeps
    double tolerance = 1e-8;                           // see Report::change
    std::function<bool(const Report&)> progress = {};  // after each sweep; false ends
  };
  // From the messages that are there: after plates were added, changed or removed it starts where the last run ended. Throws
  // InvalidArgument if the factors leave a combination of the variables open.
  Report infer(const Options& options);
  Report infer() { return infer(Options()); }
  void forget_messages();
  // The messages of a plate, row by row, from which another model that has the same rows may start; none of Gaussian factors.
  std::vector<double> messages(Plate plate) const;
  void start_from(Plate plate, std::span<const double> messages);

  // What the last infer() found.
  double mean(std::uint32_t variable) const;
  double deviation(std::uint32_t variable) const;
  std::span<const double> means() const;
  std::span<const double> variances() const;
  double covariance(std::uint32_t a, std::uint32_t b) const;
  // Variances of combinations of one edge, a row each.
  std::vector<double> variances_of(const Combinations& z) const;
  double log_evidence() const;
  // Row by row, one number for each variable.
  std::vector<double> draws(std::size_t count, std::uint64_t seed) const;

  // Whether means are within a quarter of a standard deviation of the model's, and standard deviations within a quarter of them: by two
  // standard errors, or by as many not. Neither is known if draws cannot tell.
  enum class Verdict { certified, wrong, unknown };
  // Draws from the belief weighted by the model; where weights are uneven, chains of draws that the model moves. Where `can_tell` the corrected
  // moments are the model's, within their errors.
  struct Check {
    std::size_t draws = 0;
    double effective_draws = 0, pareto_k = 0;
    std::size_t chains = 0, steps = 0;  // 0 if weights were enough
    bool can_tell = false;
    Verdict verdict = Verdict::unknown;
    std::vector<double> means, deviations, mean_errors, deviation_errors;
    double log_evidence = 0, log_evidence_error = 0;  // by weights
  };
  struct CheckOptions {
    std::size_t draws = 2000;
    std::uint64_t seed = 0;
    std::vector<std::uint32_t> variables = {};  // that the verdict is about; empty: all
    // What is no factor of the model but of the belief, and what the model says beside its plates: its logarithm at points, one after
    // the other. So a model can be checked of which some parts are found elsewhere.
    std::vector<Plate> without = {};  // of add_block()
    std::function<void(std::span<const double> points, std::span<double> out)> also = {};
  };
  Check check(const CheckOptions& options) const;
  Check check() const { return check(CheckOptions()); }

  // Hyperparameters at the nodes of a lattice about the mode of exp(log_density(g)): prior times evidence, in coordinates that are free real
  // numbers, one to three of them. What else is known at a node is kept by who answers: `evaluation` says which call it was,
  // counted from 0.
  struct Nodes {
    std::vector<std::vector<double>> nodes;
    std::vector<double> weights;  // sum 1
    std::vector<std::size_t> evaluation;
    std::vector<double> mode, means, deviations;
    double log_mass = 0;  // log of the integral
    std::size_t evaluations = 0;
    bool converged = false;
  };
  // `start` and `scale`: where to look for the mode first, and steps for first derivatives there.
  static Nodes at_nodes(const std::function<double(std::span<const double>)>& log_density,
                        std::span<const double> start, std::span<const double> scale);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace postrider::graph
