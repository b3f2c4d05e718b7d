#include "train/rebuild.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace postrider {
namespace {

// Weights at a time: a long enough stream of each group's messages, while the sums stay in the
// second-level cache.
constexpr std::size_t kChunk = 8192;

template <class T>
double rebuild_chunk(NetworkArrays<T>& network, MessageStore<T>& store, std::size_t first,
                     std::size_t count) {
  std::vector<double> tau(count), rho(count);
  for (std::size_t i = 0; i < count; ++i) {
    tau[i] = static_cast<double>(network.prior.tau[first + i]);
    rho[i] = static_cast<double>(network.prior.rho[first + i]);
  }
  for (std::size_t g = 0; g < store.groups(); ++g) {
    network.engine.add(store.tau(g).subspan(first, count), tau.data());
    network.engine.add(store.rho(g).subspan(first, count), rho.data());
  }
  double drift = 0;
  for (std::size_t i = 0; i < count; ++i) {
    T& running_tau = network.belief.tau[first + i];
    T& running_rho = network.belief.rho[first + i];
    // tau in units of its own size or of the belief's standard deviation, whichever is larger.
    const double scale = std::max(std::abs(tau[i]), std::sqrt(rho[i]));
    drift = std::max({drift, std::abs(static_cast<double>(running_rho) - rho[i]) / rho[i],
                      std::abs(static_cast<double>(running_tau) - tau[i]) / scale});
    running_tau = static_cast<T>(tau[i]);
    running_rho = static_cast<T>(rho[i]);
    if (!(running_rho > 0 && std::isfinite(running_rho) && std::isfinite(running_tau)))
      drift = std::numeric_limits<double>::infinity();
  }
  return drift;
}

}  // namespace

template <class T>
double rebuild(NetworkArrays<T>& network, MessageStore<T>& store, Workers& workers) {
  const std::size_t weights = network.belief.size();
  const std::size_t tasks = (weights + kChunk - 1) / kChunk;
  std::vector<double> drift(tasks);
  workers.run(tasks, [&](std::size_t task) {
    const std::size_t first = task * kChunk;
    drift[task] = rebuild_chunk(network, store, first, std::min(kChunk, weights - first));
  });
  return *std::ranges::max_element(drift);
}

template <class T>
bool is_sound(const WeightMessages<T>& belief) {
  return std::ranges::all_of(belief.tau, [](T tau) { return std::isfinite(tau); }) &&
         std::ranges::all_of(belief.rho, [](T rho) { return rho > 0 && std::isfinite(rho); });
}

template double rebuild(NetworkArrays<float>&, MessageStore<float>&, Workers&);
template double rebuild(NetworkArrays<double>&, MessageStore<double>&, Workers&);
template bool is_sound(const WeightMessages<float>&);
template bool is_sound(const WeightMessages<double>&);

}  // namespace postrider
