// A density on [0, 1], by which a predicted distribution is bent: where F is the predicted probability of less than y and f its density,
//   f(y) g(F(y)) is a density again, and G(F(y)) the probability below y.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace postrider::internal {

// With probabilities p_b of B bins of equal width and a share w in [0, 1],
//   g(c_b) = 1 - w + w B p_b at the centre c_b = (b + 1/2)/B of each bin,
// straight between centres and level beyond the first and the last: continuous, at least 1 - w, with integral 1.
class UnitDensity {
 public:
  UnitDensity(std::span<const double> probabilities, double share);

  std::size_t bins() const { return pieces_.size() - 1; }
  double centre(std::size_t bin) const { return pieces_[bin + 1].start; }

  double density(double u) const;
  double below(double u) const;        // G(u)
  double inverse(double below) const;  // u with G(u) = below

 private:
  // A straight piece of g, from its left end on.
  struct Piece {
    double start, width;  // in u
    double density, slope;
    double below;  // G at its start
  };
  const Piece& piece_at(double u) const;

  std::vector<Piece> pieces_;
};

}  // namespace postrider::internal
