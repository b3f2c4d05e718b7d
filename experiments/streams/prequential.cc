#include "prequential.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <numeric>

#include "postrider/regressor.h"

namespace postrider::experiments {
namespace {

constexpr double kLevel = 0.9;

void predict(const Regressor& model, const Stream& stream, std::size_t first, std::size_t end,
             Prequential& out) {
  const Distributions found = model.distributions(stream.inputs_of(first, end));
  const std::span<const double> targets = stream.targets_of(first, end);
  const std::vector<double> log_densities = found.log_densities(targets),
                            intervals = found.intervals(kLevel);
  for (std::size_t k = 0; k < targets.size(); ++k) {
    out.log_likelihoods.push_back(log_densities[k]);
    out.held.push_back(intervals[2 * k] <= targets[k] && targets[k] <= intervals[2 * k + 1] ? 1
                                                                                            : 0);
  }
}

}  // namespace

Prequential day_by_day(const Stream& stream, const EstimatorOptions& options,
                       std::size_t refit_every) {
  const auto start = std::chrono::steady_clock::now();
  Prequential out;
  auto model = std::make_unique<Regressor>(options);
  std::size_t first = 0, blocks = 0;
  for (const std::size_t end : stream.ends) {
    if (blocks == 0 || (refit_every > 0 && blocks < refit_every)) {
      out.log_likelihoods.resize(end);
      out.held.resize(end);
    } else {
      predict(*model, stream, first, end, out);
    }
    ++blocks;
    if (refit_every == 0) {
      const StreamReport report =
          model->partial_fit(stream.inputs_of(first, end), stream.targets_of(first, end));
      out.changes.insert(out.changes.end(), report.changes.begin(), report.changes.end());
    } else if (blocks % refit_every == 0) {
      model = std::make_unique<Regressor>(options);
      model->fit(stream.inputs_of(0, end), stream.targets_of(0, end));
    }
    first = end;
  }
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return out;
}

Windows windows_of(const Prequential& found, std::size_t warm_up, std::size_t window) {
  Windows out;
  for (std::size_t first = warm_up; first + window <= found.held.size(); first += window) {
    double held = 0;
    for (std::size_t row = first; row < first + window; ++row) held += found.held[row];
    out.coverage.push_back(held / static_cast<double>(window));
  }
  const auto [near, far] =
      std::ranges::minmax(out.coverage, {}, [](double share) { return std::abs(share - kLevel); });
  out.best = near;
  out.worst = far;
  return out;
}

double mean_after(const std::vector<double>& values, std::size_t first) {
  return std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(first), values.end(), 0.0) /
         static_cast<double>(values.size() - first);
}

Object to_object(const Prequential& found, const Windows& windows, std::size_t warm_up) {
  return {{"windows", {Object{{"coverage", {windows.coverage}}}}},
          {"worst", {windows.worst}},
          {"best", {windows.best}},
          {"coverage", {mean_after(found.held, warm_up)}},
          {"log_likelihood", {mean_after(found.log_likelihoods, warm_up)}},
          {"seconds", {found.seconds}}};
}

}  // namespace postrider::experiments
