// Expectation propagation's messages from many products z = x y at once.
#pragma once

#include <cstddef>
#include <vector>

#include "math/simd_level.h"

namespace postrider::experiments {
using namespace internal;

// One element per product.
struct MomentArrays {
  std::vector<double> mean, variance;

  void resize(std::size_t count) {
    mean.resize(count);
    variance.resize(count);
  }
};
struct SiteArrays {
  std::vector<double> tau, rho;  // rho may be negative

  void resize(std::size_t count) {
    tau.resize(count);
    rho.resize(count);
  }
};

struct ProductMessages {
  MomentArrays x, y, z;            // coming in: the variance of z is positive
  SiteArrays to_x, to_y, to_z;     // going out
  std::vector<double> unresolved;  // 1 where the quadrature is not exact

  void resize(std::size_t count);
};

void project(ProductMessages& products, SimdLevel level);

}  // namespace postrider::experiments
