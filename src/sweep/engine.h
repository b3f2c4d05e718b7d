// The sweep engine: forward and backward passes of a layered network, fused and vectorised. It
// contains no message formula: the kernels call those of src/factor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/workers.h"
#include "factor/words.h"
#include "math/simd_level.h"
#include "sweep/arrays.h"
#include "sweep/input_rows.h"
#include "sweep/layout.h"
#include "sweep/observation.h"
#include "sweep/record.h"
#include "sweep/touched_weights.h"
#include "sweep/workspace.h"

namespace postrider::internal {

// Rows of inputs and targets, one after the other. Without variances the inputs are known exactly.
// There is one target per output, or as many as an Observation takes. A target that is not a number
// says nothing.
template <class T>
struct ExamplesView {
  InputRowsView<T> inputs;
  std::span<const T> targets;
  std::size_t output_count;

  std::size_t size() const { return inputs.size(); }
};

template <class T>
struct SweepOptions {
  std::span<const T> noise_variance;  // per output
  std::size_t block = 1;              // examples per snapshot of the weights: 1, 2, 4 or 8
  T power = 1;                        // that each example's messages to the weights are raised to
  Observation<T>* observation = nullptr;  // instead of Gaussian noise
  Workers* workers = nullptr;             // for large layers; results do not depend on them
};

template <class T>
struct SweepKernels;

template <class T>
class SweepEngine {
 public:
  SweepEngine(std::vector<SweepLayer> layers, Rule rule, SimdLevel level = SimdLevel::best());

  const std::vector<SweepLayer>& layers() const { return layers_; }
  const Layout& layout() const { return layout_; }
  Rule rule() const { return rule_; }

  // How messages to the weights lie: sparse ones if the first layer's lanes run across units.
  MessageShape message_shape() const;

  // Neutral beliefs, proper in the padding too: what set() fills.
  WeightMessages<T> beliefs() const;

  // Rows of `examples` in the order given, each against the belief as it then stands; what each says
  // is multiplied into the belief. The predictions are those made before the example was learned.
  void learn(WeightMessages<T>& beliefs, const ExamplesView<T>& examples,
             std::span<const std::uint32_t> rows, const SweepOptions<T>& options,
             const Predictions<T>& predictions, Workspace<T>& workspace, SweepRecord& record) const;

  void predict(const WeightMessages<T>& beliefs, const ExamplesView<T>& examples,
               std::span<const std::uint32_t> rows, const Predictions<T>& predictions,
               Workspace<T>& workspace) const;

  // belief -= message, for the weights that the message is about; its place then holds the result, the
  // cavity. In exact arithmetic no cavity is less precise than the prior; returns how often rounding broke
  // that and the prior's precision was used.
  std::size_t take_out(WeightMessages<T>& beliefs, const WeightMessages<T>& prior, std::span<T> tau,
                       std::span<T> rho, const TouchedWeights& touched,
                       Workers* workers = nullptr) const;
  // What was learned since then, message = belief - cavity, in the cavity's place.
  void difference(const WeightMessages<T>& beliefs, std::span<T> tau, std::span<T> rho,
                  const TouchedWeights& touched, Workers* workers = nullptr) const;
  // The same for messages about all weights.
  std::size_t take_out(WeightMessages<T>& beliefs, const WeightMessages<T>& prior, std::span<T> tau,
                       std::span<T> rho, Workers* workers = nullptr) const {
    return take_out(beliefs, prior, tau, rho, TouchedWeights::all(beliefs.size()), workers);
  }
  void difference(const WeightMessages<T>& beliefs, std::span<T> tau, std::span<T> rho,
                  Workers* workers = nullptr) const {
    difference(beliefs, tau, rho, TouchedWeights::all(beliefs.size()), workers);
  }
  // sums += values, for a number of weights that is a multiple of the padding.
  void add(std::span<const T> values, double* sums) const;

 private:
  std::vector<SweepLayer> layers_;
  Layout layout_;
  Rule rule_;
  std::shared_ptr<const SweepKernels<T>> kernels_;
};

extern template class SweepEngine<float>;
extern template class SweepEngine<double>;

}  // namespace postrider::internal
