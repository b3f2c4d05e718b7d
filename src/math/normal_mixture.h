// Mixtures of many normal distributions, whose parts lie in the lanes of vectors.
#pragma once

#include <cstddef>
#include <vector>

#include "math/simd_level.h"

namespace postrider::internal {

struct BelowAndDensity {
  double below, density;
};

class NormalMixture {
 public:
  void reserve(std::size_t parts);
  void add(double weight, double mean, double deviation);
  std::size_t size() const { return weights_.size(); }
  double weight(std::size_t part) const { return weights_[part]; }
  double mean(std::size_t part) const { return means_[part]; }
  double deviation(std::size_t part) const { return deviations_[part]; }

  //   below = sum_k w_k Phi((x - m_k)/s_k),   density = sum_k w_k phi((x - m_k)/s_k)/s_k
  // The same to the bit for all widths of vectors of one instruction set: parts are summed in their order.
  BelowAndDensity at(double x, SimdLevel level) const;

 private:
  std::vector<double> weights_, means_, deviations_;
};

}  // namespace postrider::internal
