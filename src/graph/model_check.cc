// Model::check(): draws that the model weighs, or, where weights are too uneven, chains of draws that it moves.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "graph/model_state.h"
#include "graph/posterior_chains.h"
#include "graph/posterior_check.h"

namespace postrider::graph {
using namespace internal;

namespace {

// Weights alone decide if their shape is below this; above it the rare large ones that matter may not have come up.
constexpr double kEven = 0.1;
constexpr double kSure = 2;  // standard errors
constexpr double kFar = 0.25, kNarrow = 0.8, kWide = 1.25;

// Student's t about the belief's mean with its covariance: draws that reach farther than a Gaussian's, so that weights are bounded where the
// model's tails are heavier. With as many degrees of freedom as dimensions the weights of an exact belief are as even for many dimensions as
// for few.
class WiderBelief {
 public:
  explicit WiderBelief(const JointModel& joint)
      : joint_(joint), dimensions_(static_cast<double>(joint.size())) {
    degrees_ = std::max<std::size_t>(kFewestDegrees, joint.size());
    nu_ = static_cast<double>(degrees_);
    log_peak_ = joint.log_belief(joint.mean());
    log_constant_ = std::lgamma(0.5 * (nu_ + dimensions_)) - std::lgamma(0.5 * nu_) +
                    0.5 * dimensions_ * (std::log(2 / nu_)) + log_peak_;
  }

  void draw(std::uint64_t seed, std::size_t which, std::span<double> x) const {
    RandomStream random(seed, which);
    for (double& value : x) value = random.normal();
    double chi_squared = 0;
    for (std::size_t k = 0; k < degrees_; ++k) {
      const double normal = random.normal();
      chi_squared += normal * normal;
    }
    joint_.draw(x);
    const double stretch = std::sqrt(nu_ / chi_squared);
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = joint_.mean()[i] + stretch * (x[i] - joint_.mean()[i]);
  }

  // log q(mean) - log q(x) is half of it.
  double squared_distance(std::span<const double> x) const {
    return 2 * (log_peak_ - joint_.log_belief(x));
  }

  double log_density(std::span<const double> x) const {
    return log_constant_ - 0.5 * (nu_ + dimensions_) * std::log1p(squared_distance(x) / nu_);
  }

 private:
  static constexpr std::size_t kFewestDegrees = 8;

  const JointModel& joint_;
  double dimensions_, nu_, log_peak_, log_constant_;
  std::size_t degrees_;
};

// Whether the corrected moments are the belief's, surely not, or neither.
Model::Verdict judged(const Model::Check& found, const JointModel& joint,
                      std::span<const std::uint32_t> variables) {
  bool is_near = true;
  for (const std::uint32_t i : variables) {
    const double sd = std::sqrt(joint.variances()[i]);
    const double shift = std::abs(found.means[i] - joint.mean()[i]) / sd;
    const double shift_error = kSure * found.mean_errors[i] / sd;
    const double ratio = found.deviations[i] / sd;
    const double ratio_error = kSure * found.deviation_errors[i] / sd;
    if (shift - shift_error > kFar || ratio - ratio_error > kWide || ratio + ratio_error < kNarrow)
      return Model::Verdict::wrong;
    // Written so that what is not a number is not near.
    is_near = is_near && shift + shift_error <= kFar && ratio + ratio_error <= kWide &&
              ratio - ratio_error >= kNarrow;
  }
  return is_near ? Model::Verdict::certified : Model::Verdict::unknown;
}

}  // namespace

Model::Check Model::check(const CheckOptions& options) const {
  const JointModel& joint = state_->inferred();
  if (options.draws < 100) reject("draws", options.draws, "must be at least 100");
  std::vector<std::size_t> without;
  for (const Plate plate : options.without)
    without.push_back(state_->number_of(plate, PlateKind::block, "add_block()"));
  std::vector<std::uint32_t> variables = options.variables;
  for (std::size_t i = 0; i < variables.size(); ++i)
    if (variables[i] >= joint.size())
      reject(fmt::format("variables[{}]", i), variables[i],
             fmt::format("must be below {}, the number of variables", joint.size()));
  if (variables.empty())
    for (std::uint32_t i = 0; i < joint.size(); ++i) variables.push_back(i);

  const auto log_model = [&](std::span<const double> points, std::span<double> out) {
    joint.log_model(points, out, without);
    if (!options.also) return;
    std::vector<double> more(out.size());
    options.also(points, more);
    for (std::size_t k = 0; k < out.size(); ++k) out[k] += more[k];
  };
  const auto judge = [&](Check& found) {
    found.verdict = found.can_tell ? judged(found, joint, variables) : Verdict::unknown;
    return found.verdict != Verdict::unknown;
  };
  const WiderBelief wider(joint);
  Check weighted =
      check_posterior({[&](std::size_t s, std::span<double> x) { wider.draw(options.seed, s, x); },
                       [&](std::span<const double> x) { return wider.log_density(x); }, log_model},
                      joint.size(), options.draws);
  if (judge(weighted) && weighted.pareto_k < kEven) return weighted;

  ChainOptions of_chains;
  of_chains.seed = options.seed, of_chains.judged = variables;
  of_chains.chains = std::max<std::size_t>(options.draws / 8, 32);
  of_chains.is_enough = [&](const Check& so_far) {
    return judged(so_far, joint, variables) != Verdict::unknown;
  };
  Check moved = check_by_chains(
      {joint.mean(),
       [&](std::span<double> x) {
         joint.draw(x);
         for (std::size_t i = 0; i < x.size(); ++i) x[i] -= joint.mean()[i];
       },
       [&](std::span<const double> x) { return wider.squared_distance(x); }, log_model},
      of_chains);
  judge(moved);
  moved.draws = weighted.draws, moved.pareto_k = weighted.pareto_k;
  moved.log_evidence = weighted.log_evidence;
  moved.log_evidence_error = weighted.log_evidence_error;
  return moved;
}

}  // namespace postrider::graph
