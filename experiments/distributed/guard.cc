// Ten times as many rows in flight as the rule allows: the run must notice and back off.
#include <fmt/format.h>

#include "base/workers.h"
#include "parts.h"
#include "spread_trial.h"

namespace postrider::experiments {
using namespace internal;

Part guard(const Settings& settings) {
  constexpr std::size_t kWorkers = 16;
  const std::string name = settings.quick ? "energy" : "kin8nm";
  const std::size_t splits = settings.quick ? 2 : 6;
  const UciSet set = read_uci_set(settings.data, name);
  distributed::DistributedOptions forced;
  forced.rows_in_flight = 0.1;
  std::vector<SpreadTested> usual(splits), crowded(splits);
  Workers(settings.threads).run(2 * splits, [&](std::size_t task) {
    const std::size_t split = task / 2;
    const bool is_forced = task % 2 == 1;
    (is_forced ? crowded : usual)[split] =
        test_spread(set.rows(split, false), set.rows(split, true), is_forced ? kWorkers : 0,
                    settings.seed + split, is_forced ? forced : distributed::DistributedOptions{});
  });
  std::vector<double> a, b;
  double halved = 0, taken_back = 0, share = 0;
  for (std::size_t s = 0; s < splits; ++s) {
    a.push_back(crowded[s].likelihood);
    b.push_back(usual[s].likelihood);
    halved += static_cast<double>(crowded[s].report.halved);
    taken_back += static_cast<double>(crowded[s].report.taken_back);
    share += crowded[s].report.rows_in_flight / static_cast<double>(splits);
  }
  const Paired difference = paired(a, b);
  Part out{"guard",
           {{"set", {name}},
            {"rows_in_flight", {forced.rows_in_flight}},
            {"rows_in_flight_in_the_end", {share}},
            {"halved", {halved}},
            {"taken_back", {taken_back}},
            {"ll_difference", {difference.mean}},
            {"ll_se", {difference.standard_error}}},
           {{"it notices", halved > 0},
            {"it ends no worse than in one place, by more than one standard error",
             settings.quick || difference.mean > -difference.standard_error}}};
  out.notes.push_back(fmt::format(
      "{}: halved {:.0f} times in {} runs, {:.0f} rounds taken back, {:.4f} of the rows in the "
      "end, LL {:+.4f} +- {:.4f}",
      name, halved, splits, taken_back, share, difference.mean, difference.standard_error));
  return out;
}

}  // namespace postrider::experiments
