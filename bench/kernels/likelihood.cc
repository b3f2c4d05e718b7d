// Likelihoods that are more than Gaussian noise: a row of a pack of networks, and of one network.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "bench/kernels/kernels.h"
#include "train/targets.h"

namespace postrider::bench {
using namespace internal;
namespace {

constexpr std::size_t kRows = 64;

struct Case {
  std::string name;
  network::Likelihood likelihood;
  std::size_t outputs;
};

// Outputs and targets as training has them: targets that the outputs predict, up to their noise.
struct Rows {
  std::vector<float> mean, variance, targets, noise, shift, spread, least;

  Rows(const Case& of, std::size_t per_row) {
    RandomStream random(1, 0);
    constexpr double kNoise = 0.2;
    noise.assign(kPack, static_cast<float>(kNoise));
    for (std::size_t i = 0; i < kRows * of.outputs * kPack; ++i) {
      mean.push_back(static_cast<float>(0.5 * random.normal()));
      variance.push_back(static_cast<float>(random.log_uniform(0.01, 0.3)));
    }
    for (std::size_t i = 0; i < kRows * per_row * kPack; ++i)
      targets.push_back(static_cast<float>(target(of, i, kNoise, random)));
    shift.resize(of.outputs * kPack);
    spread = least = shift;
  }

  double target(const Case& of, std::size_t i, double noise_variance, RandomStream& random) const {
    if (of.likelihood == network::Likelihood::classes)
      return std::floor(random.uniform() *
                        static_cast<double>(std::max<std::size_t>(2, of.outputs)));
    const std::size_t at = i / kPack * of.outputs * kPack + i % kPack;  // of the first output
    const double log_noise = static_cast<double>(mean[at + kPack]);
    return static_cast<double>(mean[at]) +
           std::sqrt(static_cast<double>(variance[at]) + noise_variance * std::exp(log_noise)) *
               random.normal();
  }
};

// Items are rows of one network.
void run_pack(benchmark::State& state, const Case& of) {
  const auto targets = make_targets<float>(of.likelihood, of.outputs);
  const auto observation = targets->observation(true);
  const std::size_t per_row = targets->per_row(), outputs = of.outputs * kPack;
  Rows rows(of, per_row);
  for (auto _ : state) {
    for (std::size_t row = 0; row < kRows; ++row) {
      const PackRow<float> pack{
          std::span(rows.mean).subspan(row * outputs, outputs),
          std::span(rows.variance).subspan(row * outputs, outputs),
          std::span(rows.targets).subspan(row * per_row * kPack, per_row * kPack), rows.noise};
      benchmark::DoNotOptimize(
          observation->observe_pack(pack, {rows.shift, rows.spread, rows.least}));
    }
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(kRows * kPack) *
                          static_cast<std::int64_t>(state.iterations()));
}

void run_one(benchmark::State& state, const Case& of) {
  const auto targets = make_targets<float>(of.likelihood, of.outputs);
  const auto observation = targets->observation(true);
  const std::size_t per_row = targets->per_row();
  const Rows pack(of, per_row);
  // The same numbers, a network's next to each other.
  const auto of_networks = [](const std::vector<float>& in, std::size_t width) {
    std::vector<float> out;
    for (std::size_t row = 0; row < kRows; ++row)
      for (std::size_t lane = 0; lane < kPack; ++lane)
        for (std::size_t k = 0; k < width; ++k) out.push_back(in[(row * width + k) * kPack + lane]);
    return out;
  };
  const std::vector<float> mean = of_networks(pack.mean, of.outputs),
                           variance = of_networks(pack.variance, of.outputs),
                           values = of_networks(pack.targets, per_row);
  std::vector<float> shift(of.outputs), spread(of.outputs), least(of.outputs);
  for (auto _ : state) {
    SweepRecord record;
    for (std::size_t row = 0; row < kRows * kPack; ++row) {
      const OutputRow<float> at{std::span(mean).subspan(row * of.outputs, of.outputs),
                                std::span(variance).subspan(row * of.outputs, of.outputs),
                                std::span(values).subspan(row * per_row, per_row),
                                std::span(pack.noise).first(1)};
      benchmark::DoNotOptimize(observation->observe(at, {shift, spread, least}, record));
    }
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(kRows * kPack) *
                          static_cast<std::int64_t>(state.iterations()));
}

}  // namespace

void register_likelihoods() {
  for (const Case& of : {Case{"varying_noise", network::Likelihood::varying_noise, 2},
                         Case{"two_classes", network::Likelihood::classes, 1},
                         Case{"three_classes", network::Likelihood::classes, 3},
                         Case{"ten_classes", network::Likelihood::classes, 10}}) {
    benchmark::RegisterBenchmark(("observe_pack/" + of.name).c_str(),
                                 [=](benchmark::State& state) { run_pack(state, of); });
    benchmark::RegisterBenchmark(("observe/" + of.name).c_str(),
                                 [=](benchmark::State& state) { run_one(state, of); });
  }
}

}  // namespace postrider::bench
