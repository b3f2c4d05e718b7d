#include "network/ensemble_prediction.h"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <span>
#include <utility>

#include "base/check.h"
#include "sweep/pack/engine.h"

namespace postrider::internal {

class EnsemblePrediction::Packs {
 public:
  virtual ~Packs() = default;
  virtual std::vector<network::Network::OutputMoments> predict(const Inputs& rows,
                                                               Workers& workers) const = 0;
};

namespace {

// What one thread does between two questions for more: long enough not to feel the question.
constexpr std::size_t kRowsPerEnsembleTask = 64;

// Workspaces that nobody uses just now; to make one takes longer than to predict a row.
template <class T>
class SpareWorkspaces {
 public:
  explicit SpareWorkspaces(const std::vector<SweepLayer>& layers) : layers_(layers) {}

  std::unique_ptr<PackWorkspace<T>> take() {
    {
      const std::scoped_lock lock(mutex_);
      if (!spare_.empty()) {
        std::unique_ptr<PackWorkspace<T>> out = std::move(spare_.back());
        spare_.pop_back();
        return out;
      }
    }
    return std::make_unique<PackWorkspace<T>>(layers_);
  }
  void give_back(std::unique_ptr<PackWorkspace<T>> workspace) {
    const std::scoped_lock lock(mutex_);
    spare_.push_back(std::move(workspace));
  }

 private:
  std::vector<SweepLayer> layers_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<PackWorkspace<T>>> spare_;
};

// Lanes that no network is in have the first one's beliefs.
template <class T>
PackBeliefs<T> beliefs_of(std::span<const NetworkState* const> networks, std::size_t weights) {
  PackBeliefs<T> out(weights);
  for (std::size_t m = 0; m < kPack; ++m) {
    const auto& arrays = std::get<NetworkArrays<T>>(networks[m < networks.size() ? m : 0]->arrays);
    for (std::size_t k = 0; k < weights; ++k) {
      out.belief.tau[k * kPack + m] = arrays.belief.tau[arrays.positions[k]];
      out.belief.rho[k * kPack + m] = arrays.belief.rho[arrays.positions[k]];
    }
  }
  return out;
}

template <class T>
class TypedPacks : public EnsemblePrediction::Packs {
 public:
  explicit TypedPacks(std::span<const NetworkState* const> networks)
      : networks_(networks.size()),
        engine_(sweep_layers(networks.front()->options), networks.front()->options.rule),
        workspaces_(engine_.layers()) {
    for (std::size_t first = 0; first < networks_; first += kPack)
      packs_.push_back(beliefs_of<T>(networks.subspan(first, std::min(kPack, networks_ - first)),
                                     engine_.weights()));
  }

  std::vector<network::Network::OutputMoments> predict(const Inputs& rows,
                                                       Workers& workers) const override {
    const std::size_t inputs = engine_.layers().front().inputs,
                      outputs = engine_.layers().back().units;
    const StoredInputs<T> prepared = prepared_rows<T>(rows, inputs);
    const ExamplesView<T> examples{prepared.view(), {}, outputs};
    const std::size_t count = examples.size() * outputs;
    std::vector<T> mean(networks_ * count), variance(networks_ * count);
    std::vector<PackData<T>> data(packs_.size());
    for (std::size_t m = 0; m < packs_.size() * kPack; ++m) {
      PackData<T>& of_pack = data[m / kPack];
      of_pack.examples[m % kPack] = examples;
      if (m < networks_)
        of_pack.predictions[m % kPack] = {std::span(mean).subspan(m * count, count),
                                          std::span(variance).subspan(m * count, count),
                                          {}};
    }
    run(data, examples.size(), workers);
    expect_finite_predictions<T>(mean, variance);
    std::vector<network::Network::OutputMoments> out;
    for (std::size_t m = 0; m < networks_; ++m) {
      const auto of_network = [&](const std::vector<T>& all) {
        const auto first = all.begin() + static_cast<std::ptrdiff_t>(m * count);
        return std::vector<double>(first, first + static_cast<std::ptrdiff_t>(count));
      };
      out.push_back({of_network(mean), of_network(variance)});
    }
    return out;
  }

 private:
  void run(const std::vector<PackData<T>>& data, std::size_t rows, Workers& workers) const {
    std::vector<std::uint32_t> all(rows);
    std::iota(all.begin(), all.end(), 0u);
    const std::size_t chunks = (rows + kRowsPerEnsembleTask - 1) / kRowsPerEnsembleTask;
    workers.run(chunks * packs_.size(), [&](std::size_t task) {
      const std::size_t pack = task / chunks, first = task % chunks * kRowsPerEnsembleTask;
      std::unique_ptr<PackWorkspace<T>> workspace = workspaces_.take();
      engine_.predict(packs_[pack], data[pack],
                      std::span(all).subspan(first, std::min(kRowsPerEnsembleTask, rows - first)),
                      *workspace);
      workspaces_.give_back(std::move(workspace));
    });
  }

  std::size_t networks_;
  PackEngine<T> engine_;
  std::vector<PackBeliefs<T>> packs_;
  mutable SpareWorkspaces<T> workspaces_;
};

// How many of them, from the first on, are predicted in packs.
std::size_t worth_packing(const std::vector<const NetworkState*>& networks) {
  const std::vector<SweepLayer> layers = sweep_layers(networks.front()->options);
  const bool are_alike = std::ranges::all_of(networks, [&](const NetworkState* network) {
    return network->arrays.index() == networks.front()->arrays.index() &&
           sweep_layers(network->options) == layers;
  });
  if (!are_alike) return 0;
  const std::size_t rest = networks.size() % kPack;
  return lanes_across_networks_forward(layers, rest) ? networks.size() : networks.size() - rest;
}

}  // namespace

EnsemblePrediction::EnsemblePrediction(std::vector<const NetworkState*> networks)
    : networks_(std::move(networks)) {
  check(!networks_.empty(), "an ensemble has a network");
  packed_ = worth_packing(networks_);
  if (packed_ == 0) return;
  const auto in_packs = std::span<const NetworkState* const>(networks_).first(packed_);
  if (std::holds_alternative<NetworkArrays<float>>(networks_.front()->arrays))
    packs_ = std::make_unique<TypedPacks<float>>(in_packs);
  else
    packs_ = std::make_unique<TypedPacks<double>>(in_packs);
}
EnsemblePrediction::~EnsemblePrediction() = default;

std::vector<network::Network::OutputMoments> EnsemblePrediction::predict(const Inputs& rows,
                                                                         Workers& workers) const {
  std::vector<network::Network::OutputMoments> out;
  if (packs_) out = packs_->predict(rows, workers);
  for (std::size_t m = packed_; m < networks_.size(); ++m)
    out.push_back(internal::predict(*networks_[m], rows, workers));
  return out;
}

}  // namespace postrider::internal
