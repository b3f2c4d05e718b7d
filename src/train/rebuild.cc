#include "train/rebuild.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace postrider::internal {
namespace {

// Weights at a time: a long enough stream of each group's messages, while the sums stay in the
// second-level cache. A multiple of kPack.
constexpr std::size_t kChunk = 8192;

// Sums of some weights that follow each other, beginning with the prior.
template <class T>
class Sums {
 public:
  Sums(const WeightMessages<T>& prior, std::size_t first, std::size_t count)
      : first_(first), tau_(count), rho_(count) {
    for (std::size_t i = 0; i < count; ++i) {
      tau_[i] = static_cast<double>(prior.tau[first + i]);
      rho_[i] = static_cast<double>(prior.rho[first + i]);
    }
  }

  // To the weights from `at` on.
  void add(const SweepEngine<T>& engine, std::size_t at, std::span<const T> tau,
           std::span<const T> rho) {
    engine.add(tau, tau_.data() + (at - first_));
    engine.add(rho, rho_.data() + (at - first_));
  }

  void replace(WeightMessages<T>& belief, std::span<double> drift) const {
    for (std::size_t i = 0; i < tau_.size(); ++i) {
      double& worst = drift[i % drift.size()];
      T& running_tau = belief.tau[first_ + i];
      T& running_rho = belief.rho[first_ + i];
      // tau in units of its own size or of the belief's standard deviation, whichever is larger.
      const double scale = std::max(std::abs(tau_[i]), std::sqrt(rho_[i]));
      worst = std::max({worst, std::abs(static_cast<double>(running_rho) - rho_[i]) / rho_[i],
                        std::abs(static_cast<double>(running_tau) - tau_[i]) / scale});
      running_tau = static_cast<T>(tau_[i]);
      running_rho = static_cast<T>(rho_[i]);
      if (!(running_rho > 0 && std::isfinite(running_rho) && std::isfinite(running_tau)))
        worst = std::numeric_limits<double>::infinity();
    }
  }

 private:
  std::size_t first_;
  std::vector<double> tau_, rho_;
};

// Weights that all messages are about, in the same place before their end.
template <class T>
void rebuild_chunk(const SweepEngine<T>& engine, const WeightMessages<T>& prior,
                   MessageStore<T>& store, WeightMessages<T>& belief, std::size_t first,
                   std::size_t count, std::span<double> drift) {
  Sums<T> sums(prior, first, count);
  const std::size_t from_end = belief.size() - first;
  for (std::size_t g = 0; g < store.groups(); ++g) {
    const std::span<T> tau = store.tau(g), rho = store.rho(g);
    sums.add(engine, first, tau.subspan(tau.size() - from_end, count),
             rho.subspan(rho.size() - from_end, count));
  }
  sums.replace(belief, drift);
}

// The first layer, of which messages are about some inputs each.
template <class T>
void rebuild_first_layer(const SweepEngine<T>& engine, const WeightMessages<T>& prior,
                         MessageStore<T>& store, WeightMessages<T>& belief, std::size_t size,
                         std::span<double> drift) {
  Sums<T> sums(prior, 0, size);
  for (std::size_t g = 0; g < store.groups(); ++g) {
    const std::span<T> tau = store.tau(g), rho = store.rho(g);
    const TouchedWeights touched = store.touched(g);
    touched.for_each_run_of_inputs(
        0, touched.inputs.size(), [&](std::size_t at, std::size_t in_message, std::size_t count) {
          sums.add(engine, at, tau.subspan(in_message, count), rho.subspan(in_message, count));
        });
  }
  sums.replace(belief, drift);
}

}  // namespace

template <class T>
std::vector<double> rebuild(const SweepEngine<T>& engine, const WeightMessages<T>& prior,
                            MessageStore<T>& store, WeightMessages<T>& belief, std::size_t networks,
                            Workers& workers) {
  // In a sparse store, the first task is the first layer.
  const std::size_t sparse =
      store.is_sparse() && store.groups() > 0 ? store.touched(0).shape.first_layer() : 0;
  const std::size_t before = sparse > 0 ? 1 : 0;
  const std::size_t tasks = before + (belief.size() - sparse + kChunk - 1) / kChunk;
  std::vector<double> drift(tasks * networks);
  workers.run(tasks, [&](std::size_t task) {
    const std::span<double> own = std::span(drift).subspan(task * networks, networks);
    if (task < before) return rebuild_first_layer(engine, prior, store, belief, sparse, own);
    const std::size_t first = sparse + (task - before) * kChunk;
    rebuild_chunk(engine, prior, store, belief, first, std::min(kChunk, belief.size() - first),
                  own);
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

}  // namespace postrider::internal
