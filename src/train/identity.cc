#include "train/identity.h"

#include <span>

#include "train/stopping.h"

namespace postrider::internal {
namespace {

// FNV-1a, 64 bits: to notice other data, not to withstand an adversary.
class Fingerprint {
 public:
  template <class V>
  void add(std::span<const V> values) {
    for (const std::byte byte : std::as_bytes(values))
      hash_ = (hash_ ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3u;
  }
  template <class V>
  void add(V value) {
    add(std::span<const V>(&value, 1));
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325u;
};

}  // namespace

template <class T>
std::uint64_t identity_of(const RowsToLearn& rows, const TrainerOptions& options,
                          const network::TrainingTask& task, std::size_t group_size,
                          const NetworkArrays<T>& network) {
  Fingerprint out;
  const InputRowsView<T> inputs = rows.inputs.prepared<T>()->view();
  out.add(inputs.begins);
  out.add(inputs.columns);
  out.add(inputs.means);
  out.add(inputs.variances);
  out.add(rows.targets);
  out.add(rows.sample_weights);
  out.add(rows.learned);
  out.add(rows.left_out);
  out.add(group_size);
  out.add(task.likelihood);
  out.add(task.power);
  out.add(std::span<const double>(options.noise_variance));
  out.add(options.learn_noise);
  out.add(std::span<const double>(task.known_noise));
  out.add(options.constant_noise_epochs);
  out.add(options.damping);
  out.add(extrapolation_of(options));
  out.add(options.block);
  out.add(options.parallel_groups);
  out.add(options.shuffle);
  out.add(options.seed);
  out.add(network.engine.rule());
  for (const SweepLayer& layer : network.engine.layers()) {
    out.add(layer.units);
    out.add(layer.bias);
    out.add(layer.slope);
    out.add(layer.activation_precision);
  }
  out.add(std::span<const T>(network.prior.tau));
  out.add(std::span<const T>(network.prior.rho));
  return out.value();
}

template std::uint64_t identity_of(const RowsToLearn&, const TrainerOptions&,
                                   const network::TrainingTask&, std::size_t,
                                   const NetworkArrays<float>&);
template std::uint64_t identity_of(const RowsToLearn&, const TrainerOptions&,
                                   const network::TrainingTask&, std::size_t,
                                   const NetworkArrays<double>&);

}  // namespace postrider::internal
