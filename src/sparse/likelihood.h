// What a target says of a row's score, of all lanes at once, by the factors of the library.
#pragma once

#include <cstddef>

#include "math/simd_level.h"
#include "postrider/sparse/model.h"
#include "sparse/lanes.h"

namespace postrider::internal::hashed {

// log Z of each lane, and its first and minus its second derivative by the mean of the score; of a number also by the mean of the
// noise's logarithm. 0 <= g2 < 1/variance.
struct Answers {
  PerLane log_z{}, g1{}, g2{};
  PerLane noise_g1{}, noise_g2{};
  std::size_t guarded = 0;
};

class Likelihood {
 public:
  explicit Likelihood(sparse::SparseOptions::Target target)
      : target_(target), level_(SimdLevel::best()) {}

  bool has_noise() const { return target_ == sparse::SparseOptions::Target::number; }

  // `target` is 1 or -1 of classes, else in units of the scores; `noise` is the belief in the logarithm of its variance.
  Answers answers(std::size_t lanes, double target, const LaneMoments& score,
                  const LaneMoments& noise) const;

 private:
  sparse::SparseOptions::Target target_;
  SimdLevel level_;
};

// The messages to a score and to the noise, raised to a power w, as derivatives again. A message (tau, rho) that is derived as
// in tilted-inl.h, times w, has rho' = w rho and g2' = rho'/(1 + v rho'): both derivatives are multiplied by
// w/(1 - v g2 + w v g2).
void raise(Answers& answers, std::size_t lanes, const PerLane& variance,
           const PerLane& noise_variance, double power);

}  // namespace postrider::internal::hashed
