#include "factor/nested_site.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "factor/tilting_nodes.h"

namespace postrider::internal {
namespace {

constexpr std::size_t kNodesOfFirst = 129;

class NestedSite final : public SiteRule {
 public:
  NestedSite(TiltGivenFirst given, LogDensityOfTwo log_density, double least)
      : given_(std::move(given)), log_density_(std::move(log_density)), least_(least) {}

  std::size_t edges() const override { return 2; }
  double least_precision() const override { return least_; }

  void log_density(std::span<const std::uint32_t> rows, std::span<const double> z,
                   std::span<double> out) const override {
    for (std::size_t k = 0; k < rows.size(); ++k)
      out[k] = log_density_(rows[k], z[2 * k], z[2 * k + 1]);
  }

  void tilt(std::span<const std::uint32_t> rows, std::span<const SiteMoments> cavities,
            std::span<Tilted> tilted) const override {
    for (std::size_t k = 0; k < rows.size(); ++k)
      tilted[k] = tilt_one(rows[k], cavities[k], tilted[k]);
  }

 private:
  Tilted tilt_one(std::uint32_t row, const SiteMoments& cavity, const Tilted& former) const {
    const SiteMoments& start = former.is_found ? former.moments : cavity;
    double centre = start.mean[0], deviation = std::sqrt(start.covariance(0, 0));
    Tilted out;
    for (int guess = 0; guess < tilting::kMostGuesses && !out.is_found; ++guess) {
      if (!(deviation > 0 && cavity.covariance(0, 0) > 0)) return {};
      const Tilted found = about(row, cavity, centre, deviation);
      if (!std::isfinite(found.log_mass)) return {};
      const double shift = (found.moments.mean[0] - centre) / deviation;
      const double ratio = std::sqrt(found.moments.covariance(0, 0)) / deviation;
      if (tilting::is_near(shift, ratio)) {
        out = found;
        out.is_found = true;
      }
      centre = found.moments.mean[0];
      deviation *= std::max(ratio, tilting::kShrink);
    }
    return out;
  }

  Tilted about(std::uint32_t row, const SiteMoments& cavity, double centre,
               double deviation) const {
    const double m = cavity.mean[0], c = cavity.covariance(0, 0);
    const double slope = cavity.covariance(0, 1) / c;
    const double rest = cavity.covariance(1, 1) - slope * cavity.covariance(0, 1);
    const double reach =
        std::asinh(std::clamp((std::abs(m - centre) + tilting::kReach * std::sqrt(c)) / deviation,
                              tilting::kReach, tilting::kFarthest));
    struct Node {
      double u;
      GivenFirst v;
    };
    std::array<Node, kNodesOfFirst> nodes;
    double highest = kLowest;
    for (std::size_t k = 0; k < kNodesOfFirst; ++k) {
      const double t = reach * (2 * static_cast<double>(k) / (kNodesOfFirst - 1) - 1);
      Node& node = nodes[k];
      node.u = centre + deviation * std::sinh(t);
      node.v = given_(row, node.u, cavity.mean[1] + slope * (node.u - m), rest);
      node.v.log_mass += std::log(std::cosh(t)) - 0.5 * (node.u - m) * (node.u - m) / c;
      if (std::isnan(node.v.log_mass)) node.v.log_mass = kLowest;
      highest = std::max(highest, node.v.log_mass);
    }
    Tilted out;
    out.log_mass = highest;
    if (!std::isfinite(highest)) return out;
    double sum = 0;
    SmallVector mean{};
    for (Node& node : nodes) {
      node.v.log_mass = std::exp(node.v.log_mass - highest);
      sum += node.v.log_mass;
      if (node.v.log_mass == 0) continue;
      mean[0] += node.v.log_mass * (node.u - centre);
      mean[1] += node.v.log_mass * node.v.mean;
    }
    mean[0] = centre + mean[0] / sum;
    mean[1] /= sum;
    SmallMatrix& covariance = out.moments.covariance;
    for (const Node& node : nodes) {
      const double share = node.v.log_mass / sum;
      if (share == 0) continue;
      const double u = node.u - mean[0], v = node.v.mean - mean[1];
      covariance(0, 0) += share * u * u;
      covariance(0, 1) += share * u * v;
      covariance(1, 1) += share * (v * v + node.v.variance);
    }
    covariance(1, 0) = covariance(0, 1);
    out.moments.mean = mean;
    out.log_mass = highest - 0.5 * (kLogTwoPi + std::log(c)) +
                   std::log(sum * deviation * 2 * reach / (kNodesOfFirst - 1));
    return out;
  }

  TiltGivenFirst given_;
  LogDensityOfTwo log_density_;
  double least_;
};

}  // namespace

std::unique_ptr<SiteRule> nested_site(TiltGivenFirst given, LogDensityOfTwo log_density,
                                      double least_precision) {
  return std::make_unique<NestedSite>(std::move(given), std::move(log_density), least_precision);
}

}  // namespace postrider::internal
