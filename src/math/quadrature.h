// Reference quadrature: integrals over a density that is known only by its logarithm, to near the
// precision of double. Slow and careful: for certificates, tests and factors given as a function.
#pragma once

#include <functional>
#include <vector>

namespace postrider::internal {

using LogDensity = std::function<double(double)>;

// A density on the line, tabulated at the nodes of adaptive Gauss-Kronrod panels. The nodes are
// chosen for the mass of exp(log_density); every further integral is a sum over them.
class Tabulated {
 public:
  // `ends_and_kinks`, ascending: the range to integrate over, and the points inside it where the
  // density is not smooth. Peaks between the kinks are found by a scan, however narrow they are, as
  // long as the logarithm of the density rises towards them.
  // `scan_points` are spent on each range between two kinks.
  Tabulated(const LogDensity& log_density, const std::vector<double>& ends_and_kinks,
            int scan_points = 100);

  double log_mass() const { return log_mass_; }
  double mean() const { return mean_; }
  double variance() const { return variance_; }
  double peak() const { return peak_; }  // where the density is largest

  // The expectation of f(x, log density at x, normalised) under the normalised density.
  double expect(const std::function<double(double x, double log_p)>& f) const;
  double expect(const std::function<double(double x)>& f) const;

 private:
  struct Node {
    double x, weight, log_density;
  };

  std::vector<Node> nodes_;
  double log_mass_ = 0, mean_ = 0, variance_ = 0, peak_ = 0;
};

// The range to search for the mass of N(mean, variance) times anything else, with the kinks inside:
// `far` looks where a strong factor may have moved it, `near` (38 deviations) where it is itself.
enum class Reach { near, far };
std::vector<double> gaussian_range(double mean, double variance, const std::vector<double>& kinks,
                                   Reach reach = Reach::far);

}  // namespace postrider::internal
