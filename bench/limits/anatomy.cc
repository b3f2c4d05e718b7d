#include "bench/limits/anatomy.h"

#include <fmt/format.h>

#include <array>

#include "bench/common/roofs.h"
#include "bench/common/stopwatch.h"
#include "bench/common/swept.h"
#include "bench/common/table.h"
#include "bench/limits/work.h"

namespace postrider::bench {
using namespace internal;
namespace {

constexpr std::size_t kRows = 200;
constexpr double kSeconds = 0.2, kNano = 1e9;

double ns_per_example(const std::vector<std::size_t>& widths, double slope,
                      const Settings& settings) {
  Swept swept(widths, kRows, SimdLevel::best(), slope);
  const std::vector<double> times = times_of(settings.repeats, settings.quick ? 0 : kSeconds, [&] {
    swept.reset();
    swept.learn(1);
  });
  return kNano * least(times) / static_cast<double>(kRows);
}

}  // namespace

experiments::Object anatomy(const Settings& settings) {
  const std::array<std::vector<std::size_t>, 3> networks{
      {{8, 6, 5, 1}, {6, 6, 12, 48, 24, 4}, {13, 50, 1}}};
  Table table({"network", "ns per example", "linear", "activations", "their share", "edges' bound"},
              1);
  experiments::Object out;
  const VectorRates rates = measure_vector_rates(settings.quick);
  for (const std::vector<std::size_t>& widths : networks) {
    const double total = ns_per_example(widths, 0.05, settings);
    const double linear = ns_per_example(widths, 1, settings);
    const Work work = work_of(Swept(widths, 1).engine().layout(), rates.lanes);
    const double bound = kNano * work.arithmetic / rates.multiply_adds;
    table.add({network_name(widths), fmt::format("{:.0f}", total), fmt::format("{:.0f}", linear),
               fmt::format("{:.0f}", total - linear),
               fmt::format("{:.0f} %", 100 * (total - linear) / total),
               fmt::format("{:.0f}", bound)});
    out.push_back({network_name(widths),
                   {experiments::Object{{"ns_per_example", {total}},
                                        {"ns_per_example_linear", {linear}},
                                        {"edges_bound_ns", {bound}}}}});
  }
  fmt::print("\n  Small networks: one example learned, with activations and without\n\n{}\n",
             table.text());
  return out;
}

}  // namespace postrider::bench
