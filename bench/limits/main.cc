// How near the sweep comes to what the machine can do: to its arithmetic where the beliefs fit the
// cache, to its memory where they do not. Examples one by one, without blocks.
#include <fmt/format.h>

#include <algorithm>

#include "bench/common/program.h"
#include "bench/common/roofs.h"
#include "bench/common/stopwatch.h"
#include "bench/common/swept.h"
#include "bench/common/table.h"
#include "bench/limits/anatomy.h"
#include "bench/limits/counts.h"
#include "bench/limits/ensemble.h"
#include "bench/limits/work.h"

namespace postrider::bench {
using namespace internal;
namespace {

using experiments::Object;
using experiments::Part;

constexpr double kGoalInCache = 0.6, kGoalBandwidth = 1.5;
constexpr double kNano = 1e9;

using Widths = std::vector<std::size_t>;

// Seconds per example of learning from the prior.
std::vector<double> learning_times(Swept& swept, std::size_t repeats) {
  std::vector<double> out;
  for (std::size_t i = 0; i <= repeats; ++i) {
    swept.reset();
    const Stopwatch watch;
    swept.learn(1);
    // The first run warms up.
    if (i > 0) out.push_back(watch.seconds() / static_cast<double>(swept.rows()));
  }
  return out;
}

double per_edge(double seconds, const Layout& layout) {
  return kNano * seconds / static_cast<double>(layout.weights());
}

struct InCache {
  Object result;
  double fraction;
};

InCache in_cache(const Widths& widths, const Settings& settings, Table& table) {
  Swept swept(widths, settings.quick ? 32 : 64);
  const Layout& layout = swept.engine().layout();
  // The roof just before and just after, so that both see the machine as it then is.
  const VectorRates before = measure_vector_rates(settings.quick);
  const std::vector<double> seconds = learning_times(swept, 16 * settings.repeats);
  const VectorRates after = measure_vector_rates(settings.quick);
  const double rate = std::max(before.multiply_adds, after.multiply_adds);
  const double estimate_rate = std::max(before.estimates, after.estimates);
  const Work work = work_of(layout, before.lanes);
  const double bound = work.arithmetic / rate;
  const double bound_with_estimates =
      (work.arithmetic - work.estimates) / rate + work.estimates / estimate_rate;
  const double time = least(seconds), fraction = bound / time;
  table.add({network_name(widths),
             fmt::format("{:.0f} KiB", static_cast<double>(layout.size()) * 8 / 1024),
             fmt::format("{:.3f}", per_edge(time, layout)),
             fmt::format("{:.3f}", per_edge(median(seconds), layout)),
             fmt::format("{:.3f}", per_edge(bound, layout)), fmt::format("{:.2f}", fraction),
             fmt::format("{:.2f}", bound_with_estimates / time)});
  return {{{"belief_bytes", {static_cast<std::int64_t>(layout.size() * 8)}},
           {"weights", {static_cast<std::int64_t>(layout.weights())}},
           {"ns_per_edge", {per_edge(time, layout)}},
           {"median_ns_per_edge", {per_edge(median(seconds), layout)}},
           {"bound_ns_per_edge", {per_edge(bound, layout)}},
           {"vector_instructions_per_example", {work.arithmetic}},
           {"estimates_among_them", {work.estimates}},
           {"vector_multiply_adds_per_second", {rate}},
           {"vector_estimates_per_second", {estimate_rate}},
           {"fraction", {fraction}},
           {"fraction_with_measured_estimates", {bound_with_estimates / time}}},
          fraction};
}

struct OutOfCache {
  Object result;
  double ratio;
};

OutOfCache out_of_cache(const Widths& widths, const Settings& settings, Table& table) {
  Swept swept(widths, settings.quick ? 2 : 16);
  const Layout& layout = swept.engine().layout();
  const std::size_t bytes = 2 * layout.size() * sizeof(float);
  std::vector<double> ratios, seconds;
  MemoryTimes roof;
  for (std::size_t i = 0; i < settings.repeats; ++i) {
    // Forward reads the beliefs; backward reads them again and writes them.
    roof = measure_memory(bytes, 3);
    seconds.push_back(least(learning_times(swept, 1)));
    ratios.push_back(seconds.back() / (roof.read + roof.update));
  }
  const double ratio = median(ratios);
  const auto size = static_cast<double>(bytes);
  table.add({network_name(widths), fmt::format("{:.0f} MiB", size / (1 << 20)),
             fmt::format("{:.3f}", per_edge(median(seconds), layout)),
             fmt::format("{:.1f}", 1e-9 * size / roof.read),
             fmt::format("{:.1f}", 2e-9 * size / roof.update), fmt::format("{:.2f}", ratio)});
  return {{{"belief_bytes", {static_cast<std::int64_t>(bytes)}},
           {"weights", {static_cast<std::int64_t>(layout.weights())}},
           {"ns_per_edge", {per_edge(median(seconds), layout)}},
           {"read_bytes_per_second", {size / roof.read}},
           {"update_bytes_per_second", {2 * size / roof.update}},
           {"ratio", {ratio}},
           {"best_ratio", {least(ratios)}}},
          ratio};
}

Object counts() {
  const auto object = [](LoopCount count) {
    return Object{{"arithmetic", {static_cast<std::int64_t>(count.arithmetic)}},
                  {"estimates", {static_cast<std::int64_t>(count.estimates)}}};
  };
  return {{"forward_known", {object(kForwardKnown)}},
          {"forward_uncertain", {object(kForwardUncertain)}},
          {"backward_known_units_across", {object(kBackwardKnownUnitsAcross)}},
          {"backward_hidden_units_across", {object(kBackwardHiddenUnitsAcross)}},
          {"backward_known_inputs_across", {object(kBackwardKnownInputsAcross)}},
          {"backward_hidden_inputs_across", {object(kBackwardHiddenInputsAcross)}},
          {"pack_forward_known_of_4_units", {object(kPackForwardKnown)}},
          {"pack_forward_uncertain_of_4_units", {object(kPackForwardUncertain)}},
          {"pack_backward_given_of_4_units", {object(kPackBackwardGiven)}},
          {"pack_backward_hidden_of_4_units", {object(kPackBackwardHidden)}},
          {"pack_activation_forward", {object(kPackActivationForward)}},
          {"pack_activation_backward", {object(kPackActivationBackward)}}};
}

Part limits(const Settings& settings) {
  std::vector<Widths> small{{128, 128, 128, 10}, {256, 256, 10}};
  std::vector<Widths> large{{2048, 2048, 2048, 10}, {4096, 4096, 4096, 10}};
  if (settings.quick) large = {{512, 512, 512, 10}};

  Table arithmetic({"network", "beliefs", "ns per edge: best", "median", "bound", "fraction",
                    "with 1/x as measured"},
                   1);
  Object small_results;
  double fraction = 1;
  for (const Widths& widths : small) {
    const InCache measured = in_cache(widths, settings, arithmetic);
    small_results.push_back({network_name(widths), {measured.result}});
    fraction = std::min(fraction, measured.fraction);
  }
  Table memory({"network", "beliefs", "ns per edge", "read, GB/s", "update, GB/s", "time to roof"},
               1);
  Object large_results;
  double ratio = 0;
  for (const Widths& widths : large) {
    const OutOfCache measured = out_of_cache(widths, settings, memory);
    large_results.push_back({network_name(widths), {measured.result}});
    ratio = std::max(ratio, measured.ratio);
  }
  fmt::print("\n  In the cache: time of learning one example against its arithmetic\n\n{}\n",
             arithmetic.text());
  fmt::print("  Out of the cache: against reading all beliefs twice and writing them once\n\n{}\n",
             memory.text());
  const EnsembleLimits ensemble = ensemble_in_cache(settings);
  return {
      "limits",
      {{"quick", {settings.quick}},
       {"in_cache_fraction", {fraction}},
       {"ensemble_in_cache_fraction", {ensemble.fraction}},
       {"in_cache_goal", {kGoalInCache}},
       {"bandwidth_ratio", {ratio}},
       {"bandwidth_goal", {kGoalBandwidth}},
       {"instructions_per_vector_of_edges", {counts()}},
       {"small_networks", {anatomy(settings)}},
       {"in_cache", {small_results}},
       {"ensemble_in_cache", {ensemble.result}},
       {"out_of_cache", {large_results}}},
      {{fmt::format("in the cache {:.2f} of the arithmetic bound, goal at least {}", fraction,
                    kGoalInCache),
        fraction >= kGoalInCache},
       {fmt::format("networks side by side in the cache: {:.2f} of the arithmetic bound, goal at "
                    "least {}",
                    ensemble.fraction, kGoalInCache),
        ensemble.fraction >= kGoalInCache},
       {fmt::format("out of the cache {:.2f} times the memory bound, goal at most {}", ratio,
                    kGoalBandwidth),
        ratio <= kGoalBandwidth}}};
}

}  // namespace
}  // namespace postrider::bench

int main(int argc, char** argv) {
  using namespace postrider::bench;
  Program program;
  program.what = "Compares the sweep with the machine's arithmetic and memory.";
  program.full_folder = POSTRIDER_RESULTS;
  program.quick_folder = POSTRIDER_QUICK_RESULTS;
  program.run = limits;
  return run_program(argc, argv, program);
}
