#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/spread.h"
#include "parts.h"
#include "trial.h"

namespace postrider::experiments {
namespace {

const std::vector<std::string> kSets{"concrete", "energy", "power-plant", "wine-quality-red"};
const std::vector<std::string> kQuickSets{"energy"};
// The test rows are moved away from the mean of the training rows by these factors.
const std::vector<double> kFactors{1, 1.5, 2, 3, 4, 6, 8};
constexpr std::size_t kSplit = 0;

std::vector<double> column_means(const std::vector<double>& values, std::size_t columns) {
  std::vector<double> out(columns);
  for (std::size_t i = 0; i < values.size(); ++i) out[i % columns] += values[i];
  for (double& x : out) x /= static_cast<double>(values.size() / columns);
  return out;
}

std::vector<double> moved(std::vector<double> inputs, const std::vector<double>& centre,
                          double factor) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const double middle = centre[i % centre.size()];
    inputs[i] = middle + factor * (inputs[i] - middle);
  }
  return inputs;
}

}  // namespace

Part widening(const Settings& settings) {
  Part part{"widening", {{"factors", {kFactors}}}, {}, {}};
  for (const std::string& name : settings.quick ? kQuickSets : kSets) {
    const UciSet set = read_uci_set(settings.data, name);
    const Rows training = set.rows(kSplit, false), testing = set.rows(kSplit, true);
    EstimatorOptions options;
    options.training.seed = settings.seed;
    options.training.max_epochs = epochs_of(settings, 0);
    Regressor regressor(options);
    regressor.fit(training.inputs, training.targets);
    const std::vector<double> centre = column_means(training.inputs, set.inputs());
    // In units of what is predicted of the test rows where they are.
    std::vector<double> deviations, widest, narrowest;
    for (const double factor : kFactors) {
      const Forecast forecast = regressor.predict(moved(testing.inputs, centre, factor));
      std::vector<double> here;
      for (const double variance : forecast.variance) here.push_back(std::sqrt(variance));
      std::sort(here.begin(), here.end());
      deviations.push_back(quantile(here, 0.5));
      narrowest.push_back(quantile(here, 0.25));
      widest.push_back(quantile(here, 0.75));
    }
    const double unit = deviations.front();
    for (std::vector<double>* values : {&deviations, &narrowest, &widest})
      for (double& x : *values) x /= unit;
    part.result.push_back({name,
                           {Object{{"median", {deviations}},
                                   {"lower_quartile", {narrowest}},
                                   {"upper_quartile", {widest}}}}});
    part.claims.push_back(
        {fmt::format("{}: the median deviation grows from factor to factor, {:.1f} times at {}",
                     name, deviations.back(), kFactors.back()),
         std::is_sorted(deviations.begin(), deviations.end())});
  }
  return part;
}

}  // namespace postrider::experiments
