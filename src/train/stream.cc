#include "train/stream.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "train/groups.h"
#include "train/noise.h"
#include "train/rebuild.h"

namespace postrider {
namespace {

// The present noise counts as known from as many rows as were seen, within these bounds: at first it is
// hardly known, and later it must still be able to follow.
constexpr double kLeastKnown = 20, kMostKnown = 200;

double rows_known(std::size_t seen) {
  return std::clamp(static_cast<double>(seen), kLeastKnown, kMostKnown);
}

// One step for each noise variance, from the slopes of one row.
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

// Rounding aside, what rows say never takes away precision.
template <class T>
bool is_sound(const NetworkArrays<T>& network) {
  constexpr T kRounding = T(1e-3);
  if (!is_sound(network.belief)) return false;
  for (std::size_t i = 0; i < network.belief.size(); ++i)
    if (network.belief.rho[i] < (1 - kRounding) * network.prior.rho[i]) return false;
  return true;
}

}  // namespace

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
}

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
  double sum = 0, count = 0;
  for (std::size_t first = 0; first < rows.size();) {
    const std::size_t block =
        block_size(network.engine, network.belief.size(), options.block, seen);
    const std::size_t size = std::min(block, rows.size() - first);
    sweeps.set_noise(noise);
    sweeps.learn(network.belief, std::span(rows).subspan(first, size), options.power, block,
                 work.sweeper);
    for (std::size_t row = first; row < first + size; ++row) {
      const RowAssessment found = targets.assess_row(sweeps.predicted(), row, noise);
      const double weight = targets.weight(row);
      sum += weight * found.log_likelihood;
      count += weight * static_cast<double>(found.targets);
      if (options.learn_noise) step_noise(noise, found, weight, seen, targets, options.first_noise);
      ++seen;
    }
    first += size;
  }
  StreamReport report{.rows = rows.size(),
                      .score = count > 0 ? sum / count : 0,
                      .noise_variance = noise,
                      .linearised = work.sweeper.record.linearised,
                      .silent = work.sweeper.record.silent,
                      .guarded = work.sweeper.record.guarded};
  report.sound = is_sound(network) && std::isfinite(report.score) &&
                 std::ranges::all_of(noise, [](double each) { return std::isfinite(each); });
  if (!report.sound) {
    network.belief = work.belief_before;
    report.noise_variance = noise = work.noise_before;
    seen = work.seen_before;
  }
  return report;
}

template StreamReport learn_stream(NetworkArrays<float>&, RowSweeps<float>&, const Targets<float>&,
                                   StreamWork<float>&, const StreamOptions&, std::vector<double>&,
                                   std::size_t&);
template StreamReport learn_stream(NetworkArrays<double>&, RowSweeps<double>&,
                                   const Targets<double>&, StreamWork<double>&,
                                   const StreamOptions&, std::vector<double>&, std::size_t&);

}  // namespace postrider
