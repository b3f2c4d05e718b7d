#include "graph/nodes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <utility>

#include "base/check.h"
#include "math/small_matrix.h"

namespace postrider::internal {
namespace {

constexpr int kNewtonSteps = 60;
// Where a Newton step would gain less than this (in nats), the mode is found.
constexpr double kLeastGain = 1e-3;
constexpr double kLongestStep = 5;  // in units of `scale`
// Nodes whose density is below that of the best by this much (in log) end the lattice: what lies beyond has a share of about 1e-6.
constexpr double kEdge = 15;
constexpr int kRefinements = 3;
// Spacing of the first lattice, in deviations: every second node alone is a hundredth off where the density is Gaussian, which passes for agreement.
constexpr double kSpacing = 0.85;

// The density, and which call it was: answers of calls may be kept by who asked.
struct Counted {
  const LogHyperDensity& log_density;
  std::size_t calls = 0;

  double operator()(std::span<const double> g) {
    const double value = log_density(g);
    ++calls;
    return std::isnan(value) ? kLowest : value;
  }
};

SmallVector moved(const SmallVector& from, std::size_t axis, double by) {
  SmallVector out = from;
  out[axis] += by;
  return out;
}

struct Mode {
  SmallVector at{};
  double height = kLowest;
  SmallMatrix root;  // L L' = the inverse of the negative curvature
  bool is_found = false;
};

// First and second differences about a point.
struct Curvature {
  SmallVector slope{};
  SmallMatrix second;  // of minus the logarithm
};

class ModeSearch {
 public:
  ModeSearch(Counted& density, std::size_t size, std::span<const double> scale)
      : density_(density), size_(size) {
    for (std::size_t i = 0; i < size; ++i) scale_[i] = step_[i] = scale[i];
  }

  Mode from(std::span<const double> start) {
    Mode out;
    std::copy(start.begin(), start.end(), out.at.begin());
    out.height = value(out.at);
    if (!std::isfinite(out.height)) return out;
    for (int turn = 0; turn < kNewtonSteps; ++turn) {
      const Curvature found = curvature(out);
      const SmallCholesky of = cholesky(made_positive(found.second), size_);
      if (!of.is_positive_definite) return out;
      const SmallMatrix inverted = inverse(of, size_);
      SmallVector step = times(inverted, found.slope, size_);
      const double gain = 0.5 * dot(step, found.slope, size_);
      // Differences tell the curvature that matters if their steps are a part of its deviation.
      bool fitting = true;
      for (std::size_t i = 0; i < size_; ++i) {
        const double step_before = std::exchange(step_[i], 0.25 * std::sqrt(inverted(i, i)));
        fitting = fitting && step_[i] > 0.5 * step_before && step_[i] < 2 * step_before;
      }
      if (gain < kLeastGain && !fitting && turn + 1 < kNewtonSteps) continue;
      if (gain < kLeastGain && cholesky(found.second, size_).is_positive_definite) {
        out.root = cholesky(inverted, size_).lower;
        out.is_found = true;
        return out;
      }
      if (!climbs(out, step)) {
        // Rounding, or a ridge that the differences do not see: the best point seen has to do.
        out.root = cholesky(inverted, size_).lower;
        out.is_found = true;
        return out;
      }
    }
    return out;
  }

 private:
  double value(const SmallVector& g) { return density_(std::span(g).first(size_)); }

  Curvature curvature(const Mode& mode) {
    Curvature out;
    SmallVector up{}, down{};
    for (std::size_t i = 0; i < size_; ++i) {
      up[i] = value(moved(mode.at, i, step_[i])), down[i] = value(moved(mode.at, i, -step_[i]));
      // Beyond an edge of the density: the side that is there.
      if (!std::isfinite(up[i])) up[i] = 2 * mode.height - down[i] - 1;
      if (!std::isfinite(down[i])) down[i] = 2 * mode.height - up[i] - 1;
      out.slope[i] = (up[i] - down[i]) / (2 * step_[i]);
      out.second(i, i) = (2 * mode.height - up[i] - down[i]) / (step_[i] * step_[i]);
    }
    for (std::size_t i = 0; i < size_; ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const double both = value(moved(moved(mode.at, i, step_[i]), j, step_[j])) +
                            value(moved(moved(mode.at, i, -step_[i]), j, -step_[j])) - up[i] -
                            down[i] - up[j] - down[j] + 2 * mode.height;
        out.second(i, j) = out.second(j, i) =
            std::isfinite(both) ? -both / (2 * step_[i] * step_[j]) : 0;
      }
    return out;
  }

  // What is flat or curved upwards is taken for a Gaussian as wide as the scale.
  SmallMatrix made_positive(SmallMatrix second) const {
    if (cholesky(second, size_).is_positive_definite) return second;
    for (std::size_t i = 0; i < size_; ++i)
      for (std::size_t j = 0; j < size_; ++j)
        second(i, j) = i == j ? std::max(std::abs(second(i, i)), 1 / (scale_[i] * scale_[i])) : 0;
    return second;
  }

  bool climbs(Mode& mode, const SmallVector& step) {
    double longest = 0;
    for (std::size_t i = 0; i < size_; ++i)
      longest = std::max(longest, std::abs(step[i]) / scale_[i]);
    double share = std::min(1.0, kLongestStep / longest);
    for (int halving = 0; halving < 12; ++halving, share *= 0.5) {
      SmallVector there = mode.at;
      for (std::size_t i = 0; i < size_; ++i) there[i] += share * step[i];
      const double height = value(there);
      if (height <= mode.height) continue;
      mode.at = there, mode.height = height;
      return true;
    }
    return false;
  }

  Counted& density_;
  std::size_t size_;
  SmallVector scale_{}, step_{};
};

using Place = std::array<int, kSmall>;

struct Visited {
  double log_density;
  std::size_t call;
};

// Lattice points z = L (spacing * place) about the mode, as far as there is mass.
class Lattice {
 public:
  Lattice(Counted& density, const Mode& mode, std::size_t size, std::size_t most)
      : density_(density), mode_(mode), size_(size), most_(most) {
    highest_ = mode.height;
  }

  // Twice as fine as before.
  void refine() {
    std::map<Place, Visited> finer;
    for (const auto& [place, visited] : visited_) {
      Place doubled{};
      for (std::size_t i = 0; i < size_; ++i) doubled[i] = 2 * place[i];
      finer.emplace(doubled, visited);
    }
    visited_ = std::move(finer);
    spacing_ /= 2;
  }

  // From the mode outwards; false if there are more nodes than allowed.
  bool visit() {
    std::deque<Place> open{Place{}};
    std::map<Place, bool> seen{{Place{}, true}};
    while (!open.empty()) {
      const Place place = open.front();
      open.pop_front();
      if (!(density_at(place) >= highest_ - kEdge)) continue;
      if (visited_.size() > most_) return false;
      for (std::size_t axis = 0; axis < size_; ++axis)
        for (const int by : {-1, 1}) {
          Place next = place;
          next[axis] += by;
          if (seen.emplace(next, true).second) open.push_back(next);
        }
    }
    return true;
  }

  // The result of all nodes, or of every second one on each axis.
  graph::Model::Nodes result(bool every_second) const {
    graph::Model::Nodes out;
    std::vector<double> log_densities;
    double top = kLowest;
    for (const auto& [place, visited] : visited_) {
      const bool is_even = std::ranges::all_of(place, [](int index) { return index % 2 == 0; });
      if ((every_second && !is_even) || !std::isfinite(visited.log_density)) continue;
      const SmallVector at = point(place);
      out.nodes.emplace_back(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(size_));
      out.evaluation.push_back(visited.call);
      log_densities.push_back(visited.log_density);
      top = std::max(top, visited.log_density);
    }
    double sum = 0;
    for (const double value : log_densities) {
      out.weights.push_back(std::exp(value - top));
      sum += out.weights.back();
    }
    out.means.assign(size_, 0.0);
    out.deviations.assign(size_, 0.0);
    for (std::size_t k = 0; k < out.nodes.size(); ++k) {
      out.weights[k] /= sum;
      for (std::size_t i = 0; i < size_; ++i) out.means[i] += out.weights[k] * out.nodes[k][i];
    }
    for (std::size_t k = 0; k < out.nodes.size(); ++k)
      for (std::size_t i = 0; i < size_; ++i) {
        const double gap = out.nodes[k][i] - out.means[i];
        out.deviations[i] += out.weights[k] * gap * gap;
      }
    for (double& deviation : out.deviations) deviation = std::sqrt(deviation);
    double log_cell = 0;
    for (std::size_t i = 0; i < size_; ++i)
      log_cell += std::log((every_second ? 2 : 1) * spacing_ * mode_.root(i, i));
    out.log_mass = top + std::log(sum) + log_cell;
    return out;
  }

 private:
  SmallVector point(const Place& place) const {
    SmallVector v{};
    for (std::size_t i = 0; i < size_; ++i) v[i] = spacing_ * place[i];
    SmallVector out = times(mode_.root, v, size_);
    for (std::size_t i = 0; i < size_; ++i) out[i] += mode_.at[i];
    return out;
  }

  double density_at(const Place& place) {
    const auto found = visited_.find(place);
    if (found != visited_.end()) return found->second.log_density;
    const SmallVector at = point(place);
    const std::size_t call = density_.calls;
    const double value = density_(std::span(at).first(size_));
    visited_.emplace(place, Visited{value, call});
    highest_ = std::max(highest_, value);
    return value;
  }

  Counted& density_;
  const Mode& mode_;
  std::size_t size_, most_;
  double spacing_ = kSpacing, highest_;
  std::map<Place, Visited> visited_;
};

// Where every second node alone has the error e, all of them have e^4 if the density is Gaussian, and e^2 if its Fourier transform falls
// only exponentially.
bool agree(const graph::Model::Nodes& all, const graph::Model::Nodes& half, double tolerance) {
  const auto is_small = [&](double gap) { return gap * gap <= tolerance; };
  for (std::size_t i = 0; i < all.means.size(); ++i)
    if (!is_small((all.means[i] - half.means[i]) / all.deviations[i]) ||
        !is_small(half.deviations[i] / all.deviations[i] - 1))
      return false;
  return is_small(all.log_mass - half.log_mass);
}

}  // namespace

graph::Model::Nodes hyperparameter_nodes(const LogHyperDensity& log_density,
                                         std::span<const double> start,
                                         std::span<const double> scale,
                                         const NodeOptions& options) {
  check(start.size() == scale.size() && !start.empty() && start.size() <= kSmall,
        "there are one to three hyperparameters");
  Counted counted{log_density};
  ModeSearch search(counted, start.size(), scale);
  const Mode mode = search.from(start);
  graph::Model::Nodes out;
  if (mode.is_found) {
    Lattice lattice(counted, mode, start.size(), options.most);
    for (int turn = 0; turn <= kRefinements && !out.converged; ++turn) {
      if (turn > 0) lattice.refine();
      if (!lattice.visit()) break;
      out = lattice.result(false);
      out.converged = agree(out, lattice.result(true), options.tolerance);
    }
    out.mode.assign(mode.at.begin(), mode.at.begin() + static_cast<std::ptrdiff_t>(start.size()));
  }
  out.evaluations = counted.calls;
  return out;
}

}  // namespace postrider::internal
