#include "train/rebuild.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace postrider {
namespace {

// Weights at a time: a long enough stream of each group's messages, while the sums stay in the
// second-level cache. A multiple of kPack.
constexpr std::size_t kChunk = 8192;

template <class T>
void rebuild_chunk(const SweepEngine<T>& engine, const WeightMessages<T>& prior,
                   MessageStore<T>& store, WeightMessages<T>& belief, std::size_t first,
                   std::size_t count, std::span<double> drift) {
  std::vector<double> tau(count), rho(count);
  for (std::size_t i = 0; i < count; ++i) {
    tau[i] = static_cast<double>(prior.tau[first + i]);
    rho[i] = static_cast<double>(prior.rho[first + i]);
  }
  for (std::size_t g = 0; g < store.groups(); ++g) {
    engine.add(store.tau(g).subspan(first, count), tau.data());
    engine.add(store.rho(g).subspan(first, count), rho.data());
  }
  for (std::size_t i = 0; i < count; ++i) {
    double& worst = drift[i % drift.size()];
    T& running_tau = belief.tau[first + i];
    T& running_rho = belief.rho[first + i];
    // tau in units of its own size or of the belief's standard deviation, whichever is larger.
    const double scale = std::max(std::abs(tau[i]), std::sqrt(rho[i]));
    worst = std::max({worst, std::abs(static_cast<double>(running_rho) - rho[i]) / rho[i],
                      std::abs(static_cast<double>(running_tau) - tau[i]) / scale});
    running_tau = static_cast<T>(tau[i]);
    running_rho = static_cast<T>(rho[i]);
    if (!(running_rho > 0 && std::isfinite(running_rho) && std::isfinite(running_tau)))
      worst = std::numeric_limits<double>::infinity();
  }
}

}  // namespace

template <class T>
std::vector<double> rebuild(const SweepEngine<T>& engine, const WeightMessages<T>& prior,
                            MessageStore<T>& store, WeightMessages<T>& belief, std::size_t networks,
                            Workers& workers) {
  const std::size_t tasks = (belief.size() + kChunk - 1) / kChunk;
  std::vector<double> drift(tasks * networks);
  workers.run(tasks, [&](std::size_t task) {
    const std::size_t first = task * kChunk;
    rebuild_chunk(engine, prior, store, belief, first, std::min(kChunk, belief.size() - first),
                  std::span(drift).subspan(task * networks, networks));
  });
  std::vector<double> out(networks);
  for (std::size_t i = 0; i < drift.size(); ++i)
    out[i % networks] = std::max(out[i % networks], drift[i]);
  return out;
}

template <class T>
bool is_sound(const WeightMessages<T>& belief) {
  return std::ranges::all_of(belief.tau, [](T tau) { return std::isfinite(tau); }) &&
         std::ranges::all_of(belief.rho, [](T rho) { return rho > 0 && std::isfinite(rho); });
}

template std::vector<double> rebuild(const SweepEngine<float>&, const WeightMessages<float>&,
                                     MessageStore<float>&, WeightMessages<float>&, std::size_t,
                                     Workers&);
template std::vector<double> rebuild(const SweepEngine<double>&, const WeightMessages<double>&,
                                     MessageStore<double>&, WeightMessages<double>&, std::size_t,
                                     Workers&);
template bool is_sound(const WeightMessages<float>&);
template bool is_sound(const WeightMessages<double>&);

}  // namespace postrider
