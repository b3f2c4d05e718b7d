#include "estimator/unit_density.h"

#include <algorithm>
#include <cmath>

namespace postrider::internal {

UnitDensity::UnitDensity(std::span<const double> probabilities, double share) {
  const std::size_t bins = probabilities.size();
  const auto count = static_cast<double>(bins);
  const auto at_centre = [&](std::size_t b) {
    return 1 - share + share * count * probabilities[b];
  };
  pieces_.reserve(bins + 1);
  pieces_.push_back({0, 0.5 / count, at_centre(0), 0, 0});
  for (std::size_t b = 0; b < bins; ++b) {
    const Piece& before = pieces_.back();
    const double here = at_centre(b), next = b + 1 < bins ? at_centre(b + 1) : here;
    const double below =
        before.below + before.width * (before.density + 0.5 * before.slope * before.width);
    pieces_.push_back({(static_cast<double>(b) + 0.5) / count, (b + 1 < bins ? 1.0 : 0.5) / count,
                       here, (next - here) * count, below});
  }
}

const UnitDensity::Piece& UnitDensity::piece_at(double u) const {
  const auto bins = static_cast<double>(pieces_.size() - 1);
  return pieces_[static_cast<std::size_t>(std::clamp(std::floor(u * bins + 0.5), 0.0, bins))];
}

double UnitDensity::density(double u) const {
  const Piece& piece = piece_at(u);
  return piece.density + piece.slope * (u - piece.start);
}

double UnitDensity::below(double u) const {
  const Piece& piece = piece_at(u);
  const double step = u - piece.start;
  return std::clamp(piece.below + step * (piece.density + 0.5 * piece.slope * step), 0.0, 1.0);
}

// rest = d t + s t^2/2 has the solution t = 2 rest / (d + sqrt(d^2 + 2 s rest)), which is stable for all slopes.
double UnitDensity::inverse(double below) const {
  const auto after = std::ranges::upper_bound(pieces_, below, {}, &Piece::below);
  const Piece& piece = after == pieces_.begin() ? *after : *std::prev(after);
  const double rest = std::max(0.0, below - piece.below);
  const double root =
      std::sqrt(std::max(0.0, piece.density * piece.density + 2 * piece.slope * rest));
  const double divisor = piece.density + root;
  const double step = divisor > 0 ? 2 * rest / divisor : piece.width;
  return std::min(piece.start + std::min(step, piece.width), 1.0);
}

}  // namespace postrider::internal
