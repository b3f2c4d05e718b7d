#include "factor/density_site.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/check.h"
#include "factor/tilting_nodes.h"

namespace postrider::internal {
namespace {

// Nodes on each axis, for one, two and three edges: odd, so that the guess is one of them.
constexpr std::array<std::size_t, kSmall> kQuick{49, 41, 21}, kFine{97, 61, 31};
constexpr double kVanished = -745;             // of a logarithm whose exponential is 0
constexpr std::size_t kNodesAtOnce = 1 << 14;  // of all rows that are asked together

struct Guess {
  SmallVector centre{};
  SmallMatrix root;         // L
  SmallVector reach{};      // of t on each axis
  double log_volume = 0;    // log |L|
  SmallMatrix precision;    // the cavity's
  double log_constant = 0;  // of the cavity's density
};

// A node on one axis: v = sinh(t), and dv/dt = cosh(t).
struct AxisNode {
  double place, slope;
};

struct Found {
  double log_mass = kLowest;
  SmallVector shift{};     // in coordinates of L
  SmallMatrix covariance;  // in coordinates of L
};

class DensitySite final : public SiteRule {
 public:
  DensitySite(LogDensityOfRows log_density, std::size_t edges, double least, Nodes nodes)
      : log_density_(std::move(log_density)), edges_(edges), least_(least) {
    check(edges >= 1 && edges <= kSmall, "a density has one to three edges");
    on_axis_ = (nodes == Nodes::fine ? kFine : kQuick)[edges - 1];
    nodes_ = 1;
    for (std::size_t e = 0; e < edges; ++e) nodes_ *= on_axis_;
  }

  std::size_t edges() const override { return edges_; }
  double least_precision() const override { return least_; }

  void log_density(std::span<const std::uint32_t> rows, std::span<const double> z,
                   std::span<double> out) const override {
    log_density_(rows, 1, z, out);
  }

  void tilt(std::span<const std::uint32_t> rows, std::span<const SiteMoments> cavities,
            std::span<Tilted> tilted) const override {
    const std::size_t at_once = std::max<std::size_t>(1, kNodesAtOnce / nodes_);
    for (std::size_t first = 0; first < rows.size(); first += at_once) {
      const std::size_t count = std::min(at_once, rows.size() - first);
      tilt_some(rows.subspan(first, count), cavities.subspan(first, count),
                tilted.subspan(first, count));
    }
  }

 private:
  struct Room {
    std::vector<std::uint32_t> rows;
    std::vector<Guess> guesses;
    std::vector<AxisNode> axes;  // of each row and edge
    std::vector<double> z, log_f;
  };

  void tilt_some(std::span<const std::uint32_t> rows, std::span<const SiteMoments> cavities,
                 std::span<Tilted> tilted) const {
    Room room;
    const std::size_t on_axes = edges_ * on_axis_;
    std::vector<std::size_t> open;  // rows whose guess is not good enough yet
    std::vector<SiteMoments> centres;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      open.push_back(i);
      centres.push_back(tilted[i].is_found ? tilted[i].moments : cavities[i]);
      tilted[i].is_found = false;
    }
    for (int turn = 0; turn < tilting::kMostGuesses && !open.empty(); ++turn) {
      room.rows.clear(), room.guesses.clear(), room.axes.clear(), room.z.clear();
      std::vector<std::size_t> asked;
      for (const std::size_t i : open) {
        Guess guess;
        if (!guess_at(cavities[i], centres[i], guess)) continue;
        asked.push_back(i);
        room.rows.push_back(rows[i]);
        append_axes(guess, room.axes);
        append_nodes(guess, std::span(room.axes).last(on_axes), room.z);
        room.guesses.push_back(guess);
      }
      room.log_f.assign(asked.size() * nodes_, kLowest);
      log_density_(room.rows, nodes_, room.z, room.log_f);
      open.clear();
      for (std::size_t k = 0; k < asked.size(); ++k) {
        const std::size_t i = asked[k];
        const Guess& guess = room.guesses[k];
        const Found found =
            moments_at(guess, cavities[i].mean, std::span(room.axes).subspan(k * on_axes, on_axes),
                       std::span(room.z).subspan(k * nodes_ * edges_),
                       std::span(room.log_f).subspan(k * nodes_, nodes_));
        if (!(std::isfinite(found.log_mass))) continue;
        const bool good = accept(guess, found, tilted[i], centres[i]);
        if (!good) open.push_back(i);
      }
    }
  }

  // The cavity or the guess may be degenerate: then there is no tilted belief.
  bool guess_at(const SiteMoments& cavity, const SiteMoments& centre, Guess& out) const {
    const SmallCholesky of_cavity = cholesky(cavity.covariance, edges_),
                        of_centre = cholesky(centre.covariance, edges_);
    if (!of_cavity.is_positive_definite || !of_centre.is_positive_definite) return false;
    out.centre = centre.mean;
    out.root = of_centre.lower;
    out.log_volume = 0.5 * of_centre.log_determinant;
    out.precision = inverse(of_cavity, edges_);
    out.log_constant = -0.5 * (of_cavity.log_determinant + static_cast<double>(edges_) * kLogTwoPi);
    // The cavity in the guess's coordinates: its mean L^-1 (m - c), and the rows of L^-1 times its root.
    for (std::size_t column = 0; column <= edges_; ++column) {
      SmallVector x{};
      for (std::size_t i = 0; i < edges_; ++i)
        x[i] = column == edges_ ? cavity.mean[i] - centre.mean[i] : of_cavity.lower(i, column);
      for (std::size_t i = 0; i < edges_; ++i) {
        for (std::size_t k = 0; k < i; ++k) x[i] -= out.root(i, k) * x[k];
        x[i] /= out.root(i, i);
        out.reach[i] += column == edges_ ? std::abs(x[i]) : tilting::kReach * std::abs(x[i]);
      }
    }
    for (std::size_t i = 0; i < edges_; ++i)
      out.reach[i] = std::asinh(std::clamp(out.reach[i], tilting::kReach, tilting::kFarthest));
    return true;
  }

  // On each axis, sinh(t) and cosh(t) at t = reach (2 k/(n - 1) - 1), one after the other: exp(t) is a geometric series.
  void append_axes(const Guess& guess, std::vector<AxisNode>& axes) const {
    const std::size_t nodes = on_axis_, half = nodes / 2;
    for (std::size_t e = 0; e < edges_; ++e) {
      const std::size_t first = axes.size();
      axes.resize(first + nodes);
      const double ratio = std::exp(guess.reach[e] / static_cast<double>(half));
      double power = 1;
      for (std::size_t k = 0; k <= half; ++k, power *= ratio) {
        const double inverse = 1 / power;
        axes[first + half + k] = {0.5 * (power - inverse), 0.5 * (power + inverse)};
        axes[first + half - k] = {0.5 * (inverse - power), 0.5 * (power + inverse)};
      }
    }
  }

  // Calls f(node, v, slope) with the coordinates of each node and dv/dt.
  template <class F>
  void for_each_node(std::span<const AxisNode> axes, F&& f) const {
    const std::size_t nodes = on_axis_;
    if (edges_ == 1) {
      for (std::size_t node = 0; node < nodes_; ++node)
        f(node, SmallVector{axes[node].place}, axes[node].slope);
      return;
    }
    for (std::size_t node = 0; node < nodes_; ++node) {
      SmallVector v{};
      double slope = 1;
      for (std::size_t e = 0, rest = node; e < edges_; ++e, rest /= nodes) {
        const AxisNode& at = axes[e * nodes + rest % nodes];
        v[e] = at.place;
        slope *= at.slope;
      }
      f(node, v, slope);
    }
  }

  void append_nodes(const Guess& guess, std::span<const AxisNode> axes,
                    std::vector<double>& z) const {
    for_each_node(axes, [&](std::size_t, const SmallVector& v, double) {
      for (std::size_t i = 0; i < edges_; ++i) {
        double sum = guess.centre[i];
        for (std::size_t k = 0; k <= i; ++k) sum += guess.root(i, k) * v[k];
        z.push_back(sum);
      }
    });
  }

  // `log_f` becomes mass.
  Found moments_at(const Guess& guess, const SmallVector& cavity_mean,
                   std::span<const AxisNode> axes, std::span<const double> z,
                   std::span<double> log_f) const {
    double highest = kLowest;
    for (std::size_t node = 0; node < nodes_; ++node) {
      SmallVector from_mean{};
      for (std::size_t e = 0; e < edges_; ++e) from_mean[e] = z[node * edges_ + e] - cavity_mean[e];
      const double distance =
          edges_ == 1 ? guess.precision(0, 0) * from_mean[0] * from_mean[0]
                      : dot(times(guess.precision, from_mean, edges_), from_mean, edges_);
      log_f[node] = std::isnan(log_f[node]) ? kLowest : log_f[node] - 0.5 * distance;
      highest = std::max(highest, log_f[node]);
    }
    Found out;
    if (!std::isfinite(highest)) return out;
    double sum = 0;
    SmallMatrix second;
    for_each_node(axes, [&](std::size_t node, const SmallVector& v, double slope) {
      if (log_f[node] - highest < kVanished) return;
      const double mass = std::exp(log_f[node] - highest) * slope;
      sum += mass;
      for (std::size_t i = 0; i < edges_; ++i) {
        out.shift[i] += mass * v[i];
        for (std::size_t j = 0; j <= i; ++j) second(i, j) += mass * v[i] * v[j];
      }
    });
    // The guess is near, or will be: nothing cancels in second moments about it.
    for (std::size_t e = 0; e < edges_; ++e) out.shift[e] /= sum;
    for (std::size_t i = 0; i < edges_; ++i)
      for (std::size_t j = 0; j <= i; ++j)
        out.covariance(i, j) = out.covariance(j, i) =
            second(i, j) / sum - out.shift[i] * out.shift[j];
    for (std::size_t e = 0; e < edges_; ++e)
      out.covariance(e, e) = std::max(out.covariance(e, e), 0.0);
    out.log_mass = highest + std::log(sum) + guess.log_volume + guess.log_constant;
    for (std::size_t e = 0; e < edges_; ++e)
      out.log_mass += std::log(2 * guess.reach[e] / static_cast<double>(on_axis_ - 1));
    return out;
  }

  // Takes the moments if the guess was near them; else they become the next guess, in `centre`.
  bool accept(const Guess& guess, Found found, Tilted& tilted, SiteMoments& centre) const {
    bool near = true;
    for (std::size_t e = 0; e < edges_; ++e) {
      const double deviation = std::sqrt(found.covariance(e, e));
      near = near && tilting::is_near(found.shift[e], deviation);
      // No narrower than the nodes can tell.
      const double least = tilting::kShrink * tilting::kShrink;
      if (found.covariance(e, e) < least) found.covariance(e, e) = least;
    }
    SiteMoments moments;
    const SmallVector shift = times(guess.root, found.shift, edges_);
    for (std::size_t i = 0; i < edges_; ++i) {
      moments.mean[i] = guess.centre[i] + shift[i];
      for (std::size_t j = 0; j < edges_; ++j)
        for (std::size_t k = 0; k < edges_; ++k)
          for (std::size_t l = 0; l < edges_; ++l)
            moments.covariance(i, j) +=
                guess.root(i, k) * found.covariance(k, l) * guess.root(j, l);
    }
    centre = moments;
    if (near) tilted = {moments, found.log_mass, true};
    return near;
  }

  LogDensityOfRows log_density_;
  std::size_t edges_, on_axis_, nodes_;
  double least_;
};

}  // namespace

std::unique_ptr<SiteRule> density_site(LogDensityOfRows log_density, std::size_t edges,
                                       double least_precision, Nodes nodes) {
  return std::make_unique<DensitySite>(std::move(log_density), edges, least_precision, nodes);
}

}  // namespace postrider::internal
