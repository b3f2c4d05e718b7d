#include "estimator/unit_shape.h"

#include <algorithm>
#include <array>
#include <utility>

namespace postrider::internal {
namespace {

// In the tails, and in the middle where there are no bins.
constexpr std::array kTails{1e-5, 1e-3, 1 - 1e-3, 1 - 1e-5};
constexpr std::array kMiddle{0.03, 0.15, 0.35, 0.5, 0.65, 0.85, 0.97};

}  // namespace

UnitShape::UnitShape(std::optional<LocalNormal> neighbours, std::optional<UnitDensity> bins)
    : neighbours_(neighbours), bins_(std::move(bins)) {}

double UnitShape::density(double u) const {
  const double from_neighbours = neighbours_ ? neighbours_->density(u) : 1;
  if (!bins_) return from_neighbours;
  return from_neighbours * bins_->density(neighbours_ ? neighbours_->below(u) : u);
}

double UnitShape::below(double u) const {
  const double told = neighbours_ ? neighbours_->below(u) : u;
  return bins_ ? bins_->below(told) : told;
}

double UnitShape::inverse(double below) const {
  const double told = bins_ ? bins_->inverse(below) : below;
  return neighbours_ ? neighbours_->inverse(told) : told;
}

std::vector<double> UnitShape::ends() const {
  std::vector<double> out(kTails.begin(), kTails.end());
  if (neighbours_)
    for (const double each : neighbours_->ends()) out.push_back(each);
  if (!bins_) out.insert(out.end(), kMiddle.begin(), kMiddle.end());
  for (std::size_t bin = 0; bins_ && bin < bins_->bins(); ++bin) {
    const double kink = bins_->centre(bin);
    out.push_back(neighbours_ ? neighbours_->inverse(kink) : kink);
  }
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  std::erase_if(out, [](double u) { return u < kTails.front() || u > kTails.back(); });
  return out;
}

}  // namespace postrider::internal
