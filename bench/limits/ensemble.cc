#include "bench/limits/ensemble.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bench/common/pack_swept.h"
#include "bench/common/roofs.h"
#include "bench/common/stopwatch.h"
#include "bench/common/swept.h"
#include "bench/common/table.h"
#include "bench/limits/work.h"

namespace postrider::bench {
using namespace internal;
namespace {

constexpr double kNano = 1e9;
constexpr std::size_t kRows = 64, kQuickRows = 16;

// Seconds per example of all networks, of learning from the prior; and the roofs just before and after.
struct Timed {
  double seconds;
  VectorRates rates;
};

Timed time_of(PackSwept& swept, const Settings& settings) {
  const VectorRates before = measure_vector_rates(settings.quick);
  std::vector<double> seconds;
  for (std::size_t i = 0; i <= 8 * settings.repeats; ++i) {
    swept.reset();
    const Stopwatch watch;
    swept.learn(1);
    // The first run warms up.
    if (i > 0) seconds.push_back(watch.seconds() / static_cast<double>(swept.rows()));
  }
  const VectorRates after = measure_vector_rates(settings.quick);
  return {least(seconds), before.multiply_adds > after.multiply_adds ? before : after};
}

}  // namespace

EnsembleLimits ensemble_in_cache(const Settings& settings) {
  const std::array<std::vector<std::size_t>, 3> networks{
      {{13, 50, 1}, {32, 32, 32, 4}, {96, 96, 4}}};
  Table table({"network", "beliefs of all", "ns per edge and member", "bound", "fraction",
               "with 1/x as measured"},
              1);
  EnsembleLimits out{{}, 1};
  for (const std::vector<std::size_t>& widths : networks) {
    PackSwept swept(widths, settings.quick ? kQuickRows : kRows);
    const Timed timed = time_of(swept, settings);
    const Work work = pack_work_of(swept.engine().layers(), timed.rates.lanes);
    const Bound bound = bound_of(work, timed.rates);
    const auto edges = static_cast<double>(swept.engine().weights() * kPack);
    const double fraction = bound.seconds / timed.seconds;
    const double with_estimates = bound.with_estimates / timed.seconds;
    out.fraction = std::min(out.fraction, fraction);
    table.add({network_name(widths),
               fmt::format("{:.0f} KiB", static_cast<double>(swept.belief_bytes()) / 1024),
               fmt::format("{:.3f}", kNano * timed.seconds / edges),
               fmt::format("{:.3f}", kNano * bound.seconds / edges),
               fmt::format("{:.2f}", fraction), fmt::format("{:.2f}", with_estimates)});
    out.result.push_back(
        {network_name(widths),
         {experiments::Object{{"members", {static_cast<std::int64_t>(kPack)}},
                              {"belief_bytes", {static_cast<std::int64_t>(swept.belief_bytes())}},
                              {"weights", {static_cast<std::int64_t>(swept.engine().weights())}},
                              {"ns_per_edge_and_member", {kNano * timed.seconds / edges}},
                              {"bound_ns_per_edge_and_member", {kNano * bound.seconds / edges}},
                              {"vector_instructions_per_example", {work.arithmetic}},
                              {"estimates_among_them", {work.estimates}},
                              {"vector_multiply_adds_per_second", {timed.rates.multiply_adds}},
                              {"vector_estimates_per_second", {timed.rates.estimates}},
                              {"fraction", {fraction}},
                              {"fraction_with_measured_estimates", {with_estimates}}}}});
  }
  fmt::print("\n  {} networks side by side in the cache, with their activations\n\n{}\n", kPack,
             table.text());
  return out;
}

}  // namespace postrider::bench
