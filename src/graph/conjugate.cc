#include "postrider/graph/conjugate.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "factor/dirichlet.h"
#include "factor/gamma.h"
#include "postrider/error.h"

namespace postrider::graph {
namespace {

void check_above_zero(std::string_view field, std::span<const double> values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!(values[i] > 0 && std::isfinite(values[i])))
      reject(fmt::format("{}[{}]", field, i), values[i], "must be a finite number above 0");
}

void check_counts(std::string_view field, std::span<const double> values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!(values[i] >= 0 && std::isfinite(values[i])))
      reject(fmt::format("{}[{}]", field, i), values[i], "must be finite and at least 0");
}

void check_once_or_each(std::string_view field, std::size_t size, std::size_t once,
                        std::size_t each) {
  if (size != once && size != each)
    reject(field, size, fmt::format("must be {} numbers for all rows, or {}", once, each));
}

double finite(std::string_view field, double value) {
  if (!std::isfinite(value)) reject(field, value, "must be finite: counts are too large");
  return value;
}

}  // namespace

DirichletBeliefs dirichlet_beliefs(const DirichletPlate& plate) {
  const std::size_t width = plate.width, size = plate.counts.size();
  if (width < 2) reject("width", width, "must be at least 2");
  if (size % width != 0)
    reject("counts", size, fmt::format("must be {} numbers for each row", width));
  check_once_or_each("prior", plate.prior.size(), width, size);
  check_above_zero("prior", plate.prior);
  check_counts("counts", plate.counts);
  DirichletBeliefs out{std::vector<double>(size), std::vector<double>(size),
                       std::vector<double>(size)};
  for (std::size_t at = 0; at < size; at += width) {
    const auto prior = plate.prior.subspan(plate.prior.size() == width ? 0 : at, width);
    const auto counts = plate.counts.subspan(at, width);
    const std::span parameters = std::span(out.parameters).subspan(at, width);
    double sum = 0;
    for (std::size_t k = 0; k < width; ++k) sum += parameters[k] = prior[k] + counts[k];
    finite("the sum of a row's counts", sum);
    internal::dirichlet_moments(parameters, std::span(out.means).subspan(at, width),
                                std::span(out.deviations).subspan(at, width));
    out.log_evidence += internal::log_sequence_mass(prior, counts);
  }
  return out;
}

GammaBeliefs gamma_beliefs(const GammaPlate& plate) {
  const std::size_t size = plate.events.size();
  check_once_or_each("shapes", plate.shapes.size(), 1, size);
  check_once_or_each("rates", plate.rates.size(), 1, size);
  if (plate.exposures.size() != size)
    reject("exposures", plate.exposures.size(), fmt::format("must be as many as events, {}", size));
  check_above_zero("shapes", plate.shapes);
  check_above_zero("rates", plate.rates);
  check_counts("events", plate.events);
  check_counts("exposures", plate.exposures);
  GammaBeliefs out;
  for (std::size_t i = 0; i < size; ++i) {
    const double shape = plate.shapes[plate.shapes.size() == 1 ? 0 : i];
    const double rate = plate.rates[plate.rates.size() == 1 ? 0 : i];
    out.shapes.push_back(finite("the sum of a row's events", shape + plate.events[i]));
    out.rates.push_back(finite("the sum of a row's exposures", rate + plate.exposures[i]));
    out.means.push_back(out.shapes[i] / out.rates[i]);
    out.deviations.push_back(std::sqrt(out.shapes[i]) / out.rates[i]);
    out.log_evidence += internal::log_events_mass(shape, rate, plate.events[i], plate.exposures[i]);
  }
  return out;
}

}  // namespace postrider::graph
