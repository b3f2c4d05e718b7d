// Predictions by several networks, all of them at once where that takes fewer instructions.
#pragma once

#include <memory>
#include <vector>

#include "base/workers.h"
#include "network/network_state.h"
#include "postrider/network/network.h"

namespace postrider::internal {

// Keeps the beliefs as packs have them, one network in each lane of the vectors: to be made anew when
// beliefs change. Several threads may predict at a time. What comes out for a row is the same to the bit
// for any number of threads and whatever the other rows are; it is what predict() of one network tells,
// but for the order of sums, which is rounding.
class EnsemblePrediction {
 public:
  // The networks must outlive it; at least one.
  explicit EnsemblePrediction(std::vector<const NetworkState*> networks);
  ~EnsemblePrediction();
  EnsemblePrediction(const EnsemblePrediction&) = delete;
  EnsemblePrediction& operator=(const EnsemblePrediction&) = delete;

  // The outputs of each network. Throws as predict() of one does.
  std::vector<network::Network::OutputMoments> predict(const Inputs& rows, Workers& workers) const;

  std::size_t packed() const { return packed_; }  // that many, from the first on, share vectors

  class Packs;  // of one precision

 private:
  std::vector<const NetworkState*> networks_;
  std::size_t packed_ = 0;
  std::unique_ptr<const Packs> packs_;
};

}  // namespace postrider::internal
