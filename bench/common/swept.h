// A network and examples for the sweep engine to learn, ready to be timed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sweep/engine.h"

namespace postrider::bench {
using namespace internal;

// Random dense inputs; prior and noise as a trainer would have them. Learning starts from the prior
// each time it is timed, since beliefs that have seen the same examples a million times are none that
// training has.
class Swept {
 public:
  // A slope of 1 makes the hidden layers linear, so that activations cost next to nothing.
  Swept(const std::vector<std::size_t>& widths, std::size_t rows,
        SimdLevel level = SimdLevel::best(), double slope = 0.05);

  const SweepEngine<float>& engine() const { return engine_; }
  std::size_t rows() const { return rows_.size(); }
  void reset() { belief_ = prior_; }
  void learn(std::size_t block);
  void predict();
  // Takes the message out and puts it back.
  void take_out();
  void difference();

 private:
  SweepEngine<float> engine_;
  Workspace<float> workspace_;
  WeightMessages<float> prior_, belief_, message_;
  StoredInputs<float> inputs_;
  std::vector<float> targets_, mean_, variance_, noise_;
  std::vector<std::uint32_t> rows_;
};

// 784-256-10
std::string network_name(const std::vector<std::size_t>& widths);

}  // namespace postrider::bench
