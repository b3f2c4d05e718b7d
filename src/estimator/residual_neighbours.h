// What residuals of nearby rows tell of a row's: a Gaussian process of what networks leave over, from the nearest rows alone.
//
// z_i = Phi^-1(F_i(y_i)) is the normal score of a row's target, where F_i is predicted by networks that have not learned the row. If the
// predictions are right, scores are N(0, 1) and independent. Functions with steps, rows that stand in a table twice and patterns
// too fine for a network leave scores alike that lie near each other. They are taken as a Gaussian process,
//   Cov(z_i, z_j) = a exp(-d_ij/l) + (1 - a) [i = j],
// so that a row whose 16 nearest rows have scores z has, with c_j = a exp(-d_j/l) and C their covariance,
//   m = c^T C^-1 z,   s^2 = 1 - c^T C^-1 c,
// and its target the density f(y) g(F(y)) of local_normal.h. Far from all rows m = 0 and s = 1: nothing changes there.
//
// learned_neighbours.h says where l, a, w and the measure of distances come from.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "base/workers.h"
#include "estimator/distance_scale.h"
#include "estimator/local_normal.h"
#include "estimator/nearest_rows.h"
#include "postrider/inputs.h"

namespace postrider::internal {

class ResidualNeighbours {
 public:
  struct Kernel {
    double length, correlation, share;
  };

  // Rows whose distances are measured by a scale for each column, with the normal scores of their targets. Throws InvalidArgument if
  // sizes do not fit or the kernel makes no sense.
  ResidualNeighbours(std::vector<DistanceScale> scales, NearestRows rows,
                     std::vector<double> scores, Kernel kernel);

  const std::vector<DistanceScale>& scales() const { return scales_; }
  const NearestRows& rows() const { return rows_; }
  const std::vector<double>& scores() const { return scores_; }
  const Kernel& kernel() const { return kernel_; }

  std::vector<LocalNormal> at(const Inputs& rows, Workers& workers) const;

 private:
  std::vector<DistanceScale> scales_;
  NearestRows rows_;
  std::vector<double> scores_;
  Kernel kernel_;
};

// The nearest rows of a row, and all distances among them.
struct Neighbourhood {
  std::vector<std::uint32_t> rows;
  std::vector<double> to_row;   // from each
  std::vector<double> between;  // the lower half, row by row

  Neighbourhood() = default;
  template <class LeavesOut>
  Neighbourhood(const NearestRows& all, std::span<const float> point, LeavesOut&& leaves_out) {
    const std::vector<NearestRows::Near> nearest = all.near(point, leaves_out);
    between = all.distances_among(nearest);
    for (const NearestRows::Near& each : nearest) {
      rows.push_back(each.row);
      to_row.push_back(std::sqrt(double{each.square}));
    }
  }
};

// What is said of a row whose neighbours are these, by the scores of all rows.
LocalNormal told_by(const Neighbourhood& here, std::span<const double> scores,
                    const ResidualNeighbours::Kernel& kernel);

// The normal score of a target that has this probability below it, within bounds; and a row where distances are measured.
double kept_score(double below);
std::vector<float> point_of(std::span<const DistanceScale> scales, std::span<const double> row);

}  // namespace postrider::internal
