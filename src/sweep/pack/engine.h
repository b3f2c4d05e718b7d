// The sweep engine for a pack: networks of one shape swept side by side, one in each lane of the vectors.
// No network waits for another, no row is padded and no sum is reduced across lanes; what one network
// learns is the same to the bit whatever the others are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "factor/words.h"
#include "math/simd_level.h"
#include "sweep/arrays.h"
#include "sweep/engine.h"
#include "sweep/layout.h"
#include "sweep/observation.h"
#include "sweep/pack/workspace.h"

namespace postrider::internal {

// In the place of a row's number: this network learns nothing at this step.
inline constexpr std::uint32_t kNoRow = std::numeric_limits<std::uint32_t>::max();

// For each network: the rows it learns from, and where its predictions go.
template <class T>
struct PackData {
  std::array<ExamplesView<T>, kPack> examples{};
  std::array<Predictions<T>, kPack> predictions{};
};

// A group of rows for each network: kPack numbers for every step, row numbers and the powers that their
// messages are raised to.
template <class T>
struct PackGroup {
  std::span<const std::uint32_t> rows;
  std::span<const T> powers;
  bool rows_are_shared = false;  // all networks have the same data, and the same row at each step
  // The stored message of the group that comes next, if there is one: it is fetched meanwhile.
  std::span<const T> next_tau = {}, next_rho = {};

  std::size_t steps() const { return rows.size() / kPack; }
  std::span<const std::uint32_t> rows_at(std::size_t step) const {
    return rows.subspan(step * kPack, kPack);
  }
};

template <class T>
struct PackLearnOptions {
  std::span<const T> noise_variance;  // kPack for each
  std::size_t block = 1;              // as in SweepOptions
  // kPack: the share of each network's stored message that is not taken out; none: all is. Groups of
  // several rows are predicted in another way where there is any: then all networks have some.
  std::span<const T> damping = {};
  Observation<T>* observation = nullptr;  // instead of Gaussian noise
  // With damping: whether rows are predicted without all that their group said before they are learned.
  bool predicts = true;
};

// Beliefs of a pack: the weights in the order of Layout::positions(), kPack networks for each.
template <class T>
struct PackBeliefs {
  WeightMessages<T> belief;
  AlignedVector<T> least;  // per weight, the lowest precision of the priors: no cavity has less

  explicit PackBeliefs(std::size_t weights) : belief(weights * kPack), least(weights) {
    std::ranges::fill(belief.rho, T{1});
    std::ranges::fill(least, T{1});
  }
};

template <class T>
struct PackKernels;
template <class T>
struct PackCall;

template <class T>
class PackEngine {
 public:
  PackEngine(std::vector<SweepLayer> layers, Rule rule, SimdLevel level = SimdLevel::best());

  const std::vector<SweepLayer>& layers() const { return layers_; }
  Rule rule() const { return rule_; }
  std::size_t weights() const { return weights_; }
  // How stored messages lie.
  MessageShape message_shape() const;

  // Takes the group's stored message out of the beliefs, learns its rows in order, and stores what they
  // then say. Predictions are those before a row was learned; with damping, those without all that the
  // group said. The message is about those inputs of the first layer, and the bias, that are not zero in all
  // rows of all networks.
  void refresh(PackBeliefs<T>& beliefs, std::span<T> stored_tau, std::span<T> stored_rho,
               const PackData<T>& data, const PackGroup<T>& group,
               const PackLearnOptions<T>& options, PackWorkspace<T>& workspace) const;

  // Learns rows in order, and stores nothing. They are predicted just before each is learned, or by the
  // beliefs `ahead`, which have not heard them: then what outputs say about how far others miss comes from
  // there, too. No damping.
  void learn(PackBeliefs<T>& beliefs, const WeightMessages<T>* ahead, const PackData<T>& data,
             const PackGroup<T>& group, const PackLearnOptions<T>& options,
             PackWorkspace<T>& workspace) const;

  // Predicts rows that each network has of its own, and tells how well, as before they are learned. No damping.
  void judge(const PackBeliefs<T>& beliefs, const PackData<T>& data, const PackGroup<T>& group,
             const PackLearnOptions<T>& options, PackWorkspace<T>& workspace) const;

  // Rows that all networks of the pack share.
  void predict(const PackBeliefs<T>& beliefs, const PackData<T>& data,
               std::span<const std::uint32_t> rows, PackWorkspace<T>& workspace) const;

 private:
  // What a forward pass is told, which only reads the beliefs.
  PackCall<T> reading(const PackBeliefs<T>& beliefs, const PackData<T>& data,
                      PackWorkspace<T>& workspace) const;

  std::vector<SweepLayer> layers_;
  std::size_t weights_ = 0;
  Rule rule_;
  std::shared_ptr<const PackKernels<T>> kernels_;
};

extern template class PackEngine<float>;
extern template class PackEngine<double>;

}  // namespace postrider::internal
