#include "explain/outcomes.h"

#include <cmath>
#include <memory>
#include <numeric>

#include "base/access.h"
#include "estimator/distributions.h"
#include "estimator/predictive.h"
#include "estimator/state.h"

namespace postrider::internal {

Outcomes outcomes_of(const Regressor& regressor, const Inputs& rows) {
  const Distributions together = regressor.distributions(rows);
  Outcomes out{.quantities = 2 * regressor.options().outputs};
  if (together.size() == 0) return out;
  const Forecast all = together.moments();
  for (std::size_t place = 0; place < all.mean.size(); ++place) {
    out.values.push_back(all.mean[place]);
    out.values.push_back(std::sqrt(all.variance[place]));
  }
  const DistributionsState& state = Access::inside(together);
  out.of_members.resize(2 * state.members * state.places());
  state.workers->run(state.places(), [&](std::size_t place) {
    double* const means = &out.of_members[2 * state.members * place];
    for (std::size_t m = 0; m < state.members; ++m) {
      const Moments one = moments_of_member(state.column(place), state.at(place)[m]);
      means[m] = one.mean;
      means[state.members + m] = std::sqrt(one.spread + one.noise);
    }
  });
  return out;
}

Outcomes outcomes_of(const Classifier& classifier, const Inputs& rows) {
  const EstimatorState& state = inside_of(classifier);
  const FittedModel& model = state.expect_fitted();
  const std::shared_ptr<Workers> workers = state.shared_workers();
  const std::vector<network::Network::OutputMoments> outputs =
      state.shared_prediction()->predict(encoded_inputs(model, rows), *workers);
  const std::vector<double> shares = shares_of(classifier);
  std::vector<std::vector<double>> each;
  Outcomes out{.quantities = classifier.classes()};
  out.values.resize(rows.rows() * out.quantities);
  for (std::size_t m = 0; m < outputs.size(); ++m) {
    each.push_back(member_probabilities(model, m, outputs[m], *workers));
    for (std::size_t i = 0; i < out.values.size(); ++i) out.values[i] += shares[m] * each[m][i];
  }
  out.of_members.reserve(each.size() * out.values.size());
  for (std::size_t place = 0; place < out.values.size(); ++place)
    for (const std::vector<double>& of_member : each) out.of_members.push_back(of_member[place]);
  return out;
}

std::vector<double> shares_of(const Estimator& estimator) {
  std::vector<double> out;
  for (const Member& member : inside_of(estimator).expect_fitted().members)
    out.push_back(member.share);
  const double all = std::accumulate(out.begin(), out.end(), 0.0);
  for (double& share : out) share /= all;
  return out;
}

}  // namespace postrider::internal
