#include "train/stream.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "train/groups.h"
#include "train/noise.h"
#include "train/rebuild.h"

namespace postrider {
using namespace internal;

namespace internal {

namespace {

// The present noise counts as known from as many rows as were seen, within these bounds: at first it is
// hardly known, and later it must still be able to follow.
constexpr double kLeastKnown = 20, kMostKnown = 200;

double rows_known(std::size_t seen) {
  return std::clamp(static_cast<double>(seen), kLeastKnown, kMostKnown);
}

// Rounding and walks aside, what rows say never takes away precision.
template <class T>
bool is_sound(const NetworkArrays<T>& network, const Drift<T>& drift) {
  constexpr T kRounding = T(1e-3);
  if (!is_sound(network.belief)) return false;
  for (std::size_t i = 0; i < network.belief.size(); ++i)
    if (network.belief.rho[i] < (1 - kRounding) * network.prior.rho[i] && drift.keeps_prior(i))
      return false;
  return true;
}

}  // namespace

template <class T>
void step_noise(std::vector<double>& noise, const RowAssessment& row, double weight,
                std::size_t seen, const Targets<T>& targets, const std::vector<double>& first) {
  const auto [least, most] = targets.noise_range();
  for (std::size_t k = 0; k < noise.size(); ++k) {
    const std::array slope{row.noise_slopes[k]}, weights{weight};
    noise[k] = std::clamp(noise_by_slopes(noise[k], slope, rows_known(seen), weights),
                          std::min(first[k], least), std::max(first[k], most));
  }
}

}  // namespace internal

void StreamReport::add(const StreamReport& more) {
  const auto before = static_cast<double>(rows), after = static_cast<double>(more.rows);
  if (more.rows > 0) score = (before * score + after * more.score) / (before + after);
  rows += more.rows;
  noise_variance = more.noise_variance;
  linearised += more.linearised;
  silent += more.silent;
  guarded += more.guarded;
  far_targets += more.far_targets;
  sound = sound && more.sound;
  too_narrow = more.too_narrow;
  changes.insert(changes.end(), more.changes.begin(), more.changes.end());
  rates = more.rates;
}

namespace internal {

template <class T>
StreamReport learn_stream(NetworkArrays<T>& network, RowSweeps<T>& sweeps,
                          const Targets<T>& targets, StreamWork<T>& work,
                          const StreamOptions& options, std::vector<double>& noise,
                          std::size_t& seen) {
  work.belief_before = network.belief;
  work.noise_before = noise;
  work.seen_before = seen;
  work.sweeper.record = {};
  const std::vector<std::uint32_t> rows = counted(sweeps.size());
  work.scores = {};
  const bool is_plain = work.drift.is_still() && options.horizon == 1 && !work.window;
  for (std::size_t first = 0; first < rows.size();) {
    const std::size_t block =
        is_plain ? block_size(network.engine, network.belief.size(), options.block, seen) : 1;
    const std::size_t size = std::min(block, rows.size() - first);
    const std::span<const std::uint32_t> of_block = std::span(rows).subspan(first, size);
    sweeps.set_noise(noise);
    if (options.horizon > 1 && first % options.horizon == 0) {
      work.drift.settle(network.belief);
      work.ahead = network.belief;
    }
    if (!work.drift.is_still())
      work.drift.before_row(network.belief, sweeps.examples().inputs.row(first).columns);
    if (work.window) work.window->before_row(network.belief);
    if (options.horizon > 1)
      sweeps.learn_left_out(network.belief, work.ahead, of_block, options.power, block,
                            work.sweeper);
    else
      sweeps.learn(network.belief, of_block, options.power, block, work.sweeper);
    if (work.window)
      work.window->after_row(network.belief, sweeps.examples(), first, targets.weight(first));
    for (std::size_t row = first; row < first + size; ++row) {
      const RowAssessment found = targets.assess_row(sweeps.predicted(), row, noise);
      const double weight = targets.weight(row);
      work.scores.add(found, weight, noise);
      if (options.learn_noise) step_noise(noise, found, weight, seen, targets, options.first_noise);
      ++seen;
    }
    if (!work.drift.is_still()) work.drift.after_row(network.belief, seen);
    first += size;
    if (!work.window) continue;
    work.window->after_drift(seen);
    if (first % options.horizon == 0 || first == rows.size())
      work.window->end_block(network.belief, noise, seen, options.horizon > 1, work.sweeper);
  }
  work.drift.settle(network.belief);
  work.scores.keep(sweeps.predicted());
  StreamReport report{.rows = rows.size(),
                      .score = work.scores.mean(),
                      .noise_variance = noise,
                      .linearised = work.sweeper.record.linearised,
                      .silent = work.sweeper.record.silent,
                      .guarded = work.sweeper.record.guarded};
  report.sound = is_sound(network, work.drift) && std::isfinite(report.score) &&
                 std::ranges::all_of(noise, [](double each) { return std::isfinite(each); });
  if (!report.sound) {
    if (work.window) work.window->clear();
    network.belief = work.belief_before;
    report.noise_variance = noise = work.noise_before;
    seen = work.seen_before;
  }
  return report;
}

template void step_noise(std::vector<double>&, const RowAssessment&, double, std::size_t,
                         const Targets<float>&, const std::vector<double>&);
template void step_noise(std::vector<double>&, const RowAssessment&, double, std::size_t,
                         const Targets<double>&, const std::vector<double>&);
template StreamReport learn_stream(NetworkArrays<float>&, RowSweeps<float>&, const Targets<float>&,
                                   StreamWork<float>&, const StreamOptions&, std::vector<double>&,
                                   std::size_t&);
template StreamReport learn_stream(NetworkArrays<double>&, RowSweeps<double>&,
                                   const Targets<double>&, StreamWork<double>&,
                                   const StreamOptions&, std::vector<double>&, std::size_t&);

}  // namespace internal
}  // namespace postrider
