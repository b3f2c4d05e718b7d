#include "estimator/shaped_moments.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace postrider::internal {
namespace {

constexpr double kLeastVariance = 1e-6;  // of what it was: the rule has an error
// A piece between two places is halved while it has more than this share of the mass, before or after it is bent, or while a cubic as steep as
// D is there would add more than this share of the variance; and so often at most.
constexpr double kMostMass = 1.0 / 20, kMostAdded = 0.005;
constexpr int kMostHalvings = 14;
// All parts end so many standard deviations from their means. Pieces begin with these, which lie closer in the middle.
constexpr double kReach = 5.5;
constexpr int kFirstPieces = 12;
constexpr double kClosest = 0.15;  // of the outermost, in standard deviations of the whole
// Gauss and Legendre's rule between two places.
constexpr std::array kNodes{-0.774596669241483, 0.0, 0.774596669241483};
constexpr std::array kWeights{0.555555555555556, 0.888888888888889, 0.555555555555556};

// The mixture at a place, and what the shape makes of it.
struct Place {
  double x, below, bent;
  double gap, slope;  // D and dD/dx
};

class Shift {
 public:
  Shift(const TargetColumn& column, std::span<const Outlook> members, const UnitShape& shape,
        const Moments& plain)
      : column_(column),
        mixture_(members, Mixture::Noise::coarse),
        shape_(shape),
        middle_(plain.mean),
        deviation_(std::sqrt(plain.spread + plain.noise)) {
    if (deviation_ > 0 && mixture_.deviation() > 0) add_all();
  }

  double mean = 0, square = 0;  // what the shape adds to E[Y] and to E[(Y - M)^2]

 private:
  // Places sinh(t), close to each other about the mixture's mean.
  void add_all() {
    const double centre = mixture_.mean();
    const double low = mixture_.lowest(kReach), high = mixture_.highest(kReach);
    const double closest = kClosest * mixture_.deviation();
    const double first = std::asinh((low - centre) / closest),
                 last = std::asinh((high - centre) / closest);
    Place before = place_at(low);
    for (int piece = 1; piece <= kFirstPieces; ++piece) {
      const double t = first + (last - first) * piece / kFirstPieces;
      const Place after = place_at(piece == kFirstPieces ? high : centre + closest * std::sinh(t));
      add(before, after, kMostHalvings);
      before = after;
    }
  }

  Place place_at(double x) const {
    const BelowAndDensity here = mixture_.at(x);
    const double bent = shape_.below(here.below);
    return {x, here.below, bent, here.below - bent,
            here.density * (1 - shape_.density(here.below))};
  }

  bool is_coarse(const Place& a, const Place& b) const {
    if (std::max(b.below - a.below, b.bent - a.bent) > kMostMass) return true;
    // What a cubic that begins or ends so steeply adds to E[(Y - M)^2], in tails most of all.
    const double from = column_.in_units(a.x) - middle_, to = column_.in_units(b.x) - middle_;
    const double farthest = std::max({std::abs(from), std::abs(to), deviation_});
    const double steepest = (b.x - a.x) * std::max(std::abs(a.slope), std::abs(b.slope));
    return steepest * (to - from) * farthest > kMostAdded * deviation_ * deviation_;
  }

  void add(const Place& a, const Place& b, int halvings) {
    if (halvings > 0 && is_coarse(a, b)) {
      const Place between = place_at(0.5 * (a.x + b.x));
      add(a, between, halvings - 1);
      add(between, b, halvings - 1);
      return;
    }
    const double width = b.x - a.x;
    for (std::size_t node = 0; node < kNodes.size(); ++node) {
      const double t = 0.5 * (1 + kNodes[node]), x = a.x + t * width;
      const double added = 0.5 * kWeights[node] * width * column_.slope(x) * cubic(a, b, t);
      mean += added;
      square += 2 * (column_.in_units(x) - middle_) * added;
    }
  }

  // D between two places, by its values and slopes there (Hermite's cubic).
  static double cubic(const Place& a, const Place& b, double t) {
    const double width = b.x - a.x, left = 1 - t;
    return left * left * ((1 + 2 * t) * a.gap + t * width * a.slope) +
           t * t * ((1 + 2 * left) * b.gap - left * width * b.slope);
  }

  const TargetColumn& column_;
  const Mixture mixture_;
  const UnitShape& shape_;
  double middle_, deviation_;
};

}  // namespace

Moments shaped_moments(const TargetColumn& column, std::span<const Outlook> members,
                       const UnitShape& shape, const Moments& plain) {
  const Shift shift(column, members, shape, plain);
  const double before = plain.spread + plain.noise, mean = shift.mean, square = shift.square;
  const double variance = std::max(before + square - mean * mean, kLeastVariance * before);
  const double scale = before > 0 ? variance / before : 0;
  return {plain.mean + mean, plain.spread * scale, plain.noise * scale};
}

}  // namespace postrider::internal
