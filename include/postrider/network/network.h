// Neural networks whose every weight is a Gaussian belief.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "postrider/export.h"
#include "postrider/gaussian.h"
#include "postrider/graph/factor.h"
#include "postrider/inputs.h"

namespace postrider::internal {
struct Access;
class NetworkState;
}  // namespace postrider::internal

namespace postrider::network {

enum class Activation { leaky_relu, relu, identity };
POSTRIDER_EXPORT std::string_view to_string(Activation activation);

// One dense layer: a weighted sum per unit, then the activation.
struct Layer {
  std::size_t units = 1;
  Activation activation = Activation::leaky_relu;
  double slope = 0.05;  // of the leaky ReLU on the negative side, between 0 and 1
  bool bias = true;
  // Every weight's prior is N(m, prior_variance) with m drawn once from N(0, mean_variance): random
  // means break the symmetry between units. Defaults: 2/fan-in and 1/fan-in.
  std::optional<double> prior_variance = {};
  std::optional<double> mean_variance = {};
  // A prior N(0, variance) on every sum, besides what the weights say. None by default.
  std::optional<double> activation_prior_variance = {};
};

enum class Precision { float32, float64 };

struct POSTRIDER_EXPORT NetworkOptions {
  std::size_t inputs = 1;
  std::vector<Layer> layers =
      {};  // the last one holds the outputs and has the identity as activation
  graph::Rule rule = graph::Rule::conditioned;
  Precision precision = Precision::float32;
  std::uint64_t seed = 1;  // of the random prior means
  // How many inputs of a row are not zero, on average; 0: all. How the first layer lies in memory depends on it, and so do
  // time, memory and rounding; nothing else does.
  std::size_t active_inputs = 0;

  // Hidden layers of these widths under an output layer.
  static NetworkOptions dense(std::size_t inputs, const std::vector<std::size_t>& hidden,
                              std::size_t outputs = 1);

  std::size_t outputs() const { return layers.empty() ? 0 : layers.back().units; }
  std::size_t weights() const;
  void validate() const;  // throws InvalidArgument
};

class POSTRIDER_EXPORT Network {
 public:
  // Row by row: the moments of the outputs, without the noise of an observation.
  struct OutputMoments {
    std::vector<double> mean, variance;
  };

  // The beliefs in one layer's weights, as they lie in memory: that of unit i and input j, the bias
  // being one more input, is at i unit_stride + j input_stride.
  template <class T>
  struct LayerBeliefs {
    const T* tau;
    const T* rho;
    std::size_t units, inputs;
    std::size_t unit_stride, input_stride;
  };

  explicit Network(const NetworkOptions& options);
  ~Network();
  Network(const Network& other);
  Network& operator=(const Network& other);
  Network(Network&&) noexcept;
  Network& operator=(Network&&) noexcept;

  const NetworkOptions& options() const;

  // Weights are numbered layer by layer, unit by unit, input by input, a unit's bias last.
  std::size_t weight_count() const;
  Gaussian weight(std::size_t index) const;
  Gaussian prior(std::size_t index) const;
  // A prior of one's own. The belief becomes the prior, too. It must be proper.
  void set_prior(std::size_t index, const Gaussian& prior);

  // In the network's precision. They show what training does, until the network is destroyed or
  // assigned to. Throws InvalidArgument if there is no such layer.
  std::variant<LayerBeliefs<float>, LayerBeliefs<double>> layer_beliefs(std::size_t layer) const;

  // An input that is not a number is missing: it enters as N(0, 1), which suits standardised inputs.
  OutputMoments predict(const Inputs& rows, unsigned threads = 1) const;

  std::size_t memory_bytes() const;  // of beliefs and priors

 private:
  friend struct internal::Access;
  std::unique_ptr<internal::NetworkState> state_;
};

// The factor graph of one example in Graphviz's language, with the beliefs in the weights. Every term
// of every sum is drawn: for small networks.
POSTRIDER_EXPORT std::string to_graphviz(const Network& network);

}  // namespace postrider::network
