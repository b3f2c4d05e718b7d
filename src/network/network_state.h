// The inside of a Network: the sweep engine, priors and beliefs, in one of two precisions.
#pragma once

#include <cstddef>
#include <span>
#include <variant>
#include <vector>

#include "base/access.h"
#include "base/workers.h"
#include "postrider/network/network.h"
#include "sweep/engine.h"

namespace postrider::internal {

// The slope of a layer's activation on the negative side: 1 for the identity, 0 for the rectifier.
double slope_of(const network::Layer& layer);

// The layers as the sweep engine takes them.
std::vector<SweepLayer> sweep_layers(const network::NetworkOptions& options);

template <class T>
struct NetworkArrays {
  SweepEngine<T> engine;
  std::vector<std::size_t> positions;  // of the weights in the arrays
  WeightMessages<T> prior, belief;

  explicit NetworkArrays(const network::NetworkOptions& options);
};

// Rows in the engine's type, missing inputs replaced: a copy the engine can point into. Throws InvalidArgument if
// the sizes do not fit or a value is infinite.
template <class T>
StoredInputs<T> prepared_rows(const Inputs& rows, std::size_t input_count);
extern template StoredInputs<float> prepared_rows(const Inputs& rows, std::size_t input_count);
extern template StoredInputs<double> prepared_rows(const Inputs& rows, std::size_t input_count);

class NetworkState {
 public:
  explicit NetworkState(const network::NetworkOptions& network_options);

  network::NetworkOptions options;
  std::variant<NetworkArrays<float>, NetworkArrays<double>> arrays;
};

inline NetworkState& inside_of(network::Network& network) { return Access::inside(network); }
inline const NetworkState& inside_of(const network::Network& network) {
  return Access::inside(network);
}

// Beliefs far from what training leaves, as a file may hold them, can overflow on their way through the
// layers. What comes out must not pass for a prediction: throws Error.
template <class T>
void expect_finite_predictions(std::span<const T> mean, std::span<const T> variance);

// Network::predict with threads that are there already.
network::Network::OutputMoments predict(const NetworkState& network, const Inputs& rows,
                                        Workers& workers);

}  // namespace postrider::internal
