// A normal distribution of the normal score z = Phi^-1(u) of a predicted probability u, which was N(0, 1) before:
//   g(u) = 1 - w + w N(z; m, s^2)/N(z; 0, 1),   G(u) = (1 - w) u + w Phi((z - m)/s).
// It is a density on [0, 1] of at least 1 - w: no outcome is ruled out.
#pragma once

#include <array>

namespace postrider::internal {

class LocalNormal {
 public:
  LocalNormal(double mean, double deviation, double share);

  double mean() const { return mean_; }
  double deviation() const { return deviation_; }

  double density(double u) const;
  double below(double u) const;
  double inverse(double below) const;

  // Between these it is smooth enough for quadrature.
  std::array<double, 6> ends() const;

 private:
  double mean_, deviation_, share_;
};

}  // namespace postrider::internal
