#include "spread_trial.h"

#include <algorithm>
#include <cmath>

namespace postrider::experiments {

std::size_t SpreadTested::epochs_to(double score) const {
  const auto found = std::ranges::find_if(
      epochs(), [&](const EpochReport& epoch) { return epoch.score >= score; });
  return static_cast<std::size_t>(found - epochs().begin()) + 1;
}

EstimatorOptions one_network(std::uint64_t seed) {
  EstimatorOptions out{.ensemble_size = 1, .copies = EstimatorOptions::Copies::together};
  out.training.seed = seed;
  return out;
}

SpreadTested test_spread(const Rows& training, const Rows& testing, std::size_t workers,
                         std::uint64_t seed, const distributed::DistributedOptions& how) {
  Regressor model(one_network(seed));
  SpreadTested out;
  if (workers == 0) {
    out.report.fits = model.fit(training.inputs, training.targets);
  } else {
    distributed::LocalCommunicator here;
    out.report = distributed::fit_distributed(
        model, distributed::shards_of(Examples{training.inputs, training.targets}, workers), how,
        here);
  }
  out.likelihood = model.log_likelihood(testing.inputs, testing.targets);
  return out;
}

Paired paired(const std::vector<double>& a, const std::vector<double>& b) {
  const auto count = static_cast<double>(a.size());
  double mean = 0, squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) mean += (a[i] - b[i]) / count;
  for (std::size_t i = 0; i < a.size(); ++i) squares += std::pow(a[i] - b[i] - mean, 2);
  return {mean, count > 1 ? std::sqrt(squares / (count - 1) / count) : 0};
}

}  // namespace postrider::experiments
