// Fixed-point iterations that go on in the direction of their own slow modes: Anderson's mixing.
//
// Sweeps converge slowly where many players are tied to each other more closely than to what is known beforehand: their common level
// moves by a small share of what is left with every sweep. The last few steps tell these modes. With x_k what went into a step, g_k
// what came out and f_k = g_k - x_k, the next step begins at g_k - dG c, where c makes |f_k - dF c| least over the last few
// differences dF and dG. What the iteration converges to is not changed.
//
// Reference: Anderson 1965; Walker and Ni 2011.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace postrider::internal::games {

class Accelerator {
 public:
  Accelerator(std::size_t size, std::size_t depth);

  // `after` came out of a step that began with `before`, and is moved to where the next step should begin.
  void extrapolate(std::span<const double> before, std::span<double> after);

 private:
  struct Difference {
    std::vector<float> step, outcome;  // of f and of g
  };

  void remember(std::span<const double> before, std::span<const double> after);
  void forget();

  std::size_t depth_;
  std::vector<double> last_step_, last_outcome_;
  std::vector<Difference> differences_;  // a ring
  std::vector<double> products_;  // of the differences' steps with each other, depth by depth
  std::size_t used_ = 0, next_ = 0;
  double last_length_ = 0;  // of f, squared
};

}  // namespace postrider::internal::games
