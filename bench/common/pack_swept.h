// Networks side by side for the pack engine to learn, ready to be timed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sweep/pack/engine.h"

namespace postrider::bench {
using namespace internal;

// kPack networks whose priors differ, on the same random dense rows; as Swept, they learn from the prior
// each time. All rows are one group.
class PackSwept {
 public:
  PackSwept(const std::vector<std::size_t>& widths, std::size_t rows);

  const PackEngine<float>& engine() const { return engine_; }
  std::size_t rows() const { return rows_; }
  std::size_t belief_bytes() const { return 2 * prior_.size() * sizeof(float); }
  void reset();
  void learn(std::size_t block);

 private:
  PackEngine<float> engine_;
  PackWorkspace<float> workspace_;
  WeightMessages<float> prior_, message_;
  PackBeliefs<float> beliefs_;
  StoredInputs<float> inputs_;
  std::vector<float> targets_, mean_, variance_, powers_;
  AlignedVector<float> noise_;
  std::vector<std::uint32_t> steps_;  // the row of each network at each step
  std::size_t rows_;
  PackData<float> data_;
};

}  // namespace postrider::bench
