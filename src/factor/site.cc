#include "factor/site.h"

#include <algorithm>
#include <cmath>

namespace postrider::internal {
namespace {

// R in the coordinates u in which the cavity is N(0, 1): I - B with B = L^-1 V L'^-1 has the eigenvalues of R's numerator, but
// R itself needs B^-1 - I, whose eigenvalues are held at `least`. Jacobi's rotations find them: three rows at most.
struct EigenPairs {
  SmallVector values;
  SmallMatrix vectors;  // column by column
};

EigenPairs eigen_of(SmallMatrix a, std::size_t size) {
  EigenPairs out;
  for (std::size_t i = 0; i < size; ++i) out.vectors(i, i) = 1;
  constexpr int kRounds = 12;  // converges quadratically
  for (int round = 0; round < kRounds; ++round)
    for (std::size_t p = 0; p + 1 < size; ++p)
      for (std::size_t q = p + 1; q < size; ++q) {
        if (a(p, q) == 0) continue;
        const double angle = 0.5 * std::atan2(2 * a(p, q), a(q, q) - a(p, p));
        const double c = std::cos(angle), s = std::sin(angle);
        for (std::size_t k = 0; k < size; ++k) {
          const double x = a(k, p), y = a(k, q);
          a(k, p) = c * x - s * y, a(k, q) = s * x + c * y;
        }
        for (std::size_t k = 0; k < size; ++k) {
          const double x = a(p, k), y = a(q, k);
          a(p, k) = c * x - s * y, a(q, k) = s * x + c * y;
        }
        for (std::size_t k = 0; k < size; ++k) {
          const double x = out.vectors(k, p), y = out.vectors(k, q);
          out.vectors(k, p) = c * x - s * y, out.vectors(k, q) = s * x + c * y;
        }
      }
  for (std::size_t i = 0; i < size; ++i) out.values[i] = a(i, i);
  return out;
}

// L^-1 x and L'^-1 x.
SmallVector solve_lower(const SmallMatrix& lower, SmallVector x, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t k = 0; k < i; ++k) x[i] -= lower(i, k) * x[k];
    x[i] /= lower(i, i);
  }
  return x;
}
SmallVector solve_upper(const SmallMatrix& lower, SmallVector x, std::size_t size) {
  for (std::size_t i = size; i-- > 0;) {
    for (std::size_t k = i + 1; k < size; ++k) x[i] -= lower(k, i) * x[k];
    x[i] /= lower(i, i);
  }
  return x;
}

Projection project_one(double m, double c, double mean, double variance, double least) {
  Projection out;
  if (!(c > 0 && variance > 0 && std::isfinite(mean) && std::isfinite(c))) return out;
  out.is_proper = true;
  double precision = (c - variance) / (c * variance);
  out.is_held = !(precision >= least / c);
  if (out.is_held) precision = least / c;
  out.message.precision(0, 0) = precision;
  out.message.tau[0] = (mean - m) / c + mean * precision;
  return out;
}

}  // namespace

Projection project(const SiteMoments& cavity, const SiteMoments& tilted, double least,
                   std::size_t edges) {
  if (edges == 1)
    return project_one(cavity.mean[0], cavity.covariance(0, 0), tilted.mean[0],
                       tilted.covariance(0, 0), least);
  Projection out;
  const SmallCholesky root = cholesky(cavity.covariance, edges);
  if (!root.is_positive_definite) return out;
  SmallMatrix half, both;  // L^-1 V, then L^-1 V L'^-1
  for (std::size_t j = 0; j < edges; ++j) {
    SmallVector column{};
    for (std::size_t i = 0; i < edges; ++i) column[i] = tilted.covariance(i, j);
    column = solve_lower(root.lower, column, edges);
    for (std::size_t i = 0; i < edges; ++i) half(j, i) = column[i];  // its transpose
  }
  for (std::size_t j = 0; j < edges; ++j) {
    SmallVector column{};
    for (std::size_t i = 0; i < edges; ++i) column[i] = half(i, j);
    column = solve_lower(root.lower, column, edges);
    for (std::size_t i = 0; i < edges; ++i) both(i, j) = column[i];
  }
  const EigenPairs found = eigen_of(both, edges);
  SmallMatrix& precision = out.message.precision;
  for (std::size_t k = 0; k < edges; ++k) {
    if (!(found.values[k] > 0 && std::isfinite(found.values[k]))) return out;
    double strength = (1 - found.values[k]) / found.values[k];
    if (!(strength >= least)) strength = least, out.is_held = true;
    SmallVector direction{};
    for (std::size_t i = 0; i < edges; ++i) direction[i] = found.vectors(i, k);
    direction = solve_upper(root.lower, direction, edges);
    for (std::size_t i = 0; i < edges; ++i)
      for (std::size_t j = 0; j < edges; ++j)
        precision(i, j) += strength * direction[i] * direction[j];
  }
  SmallVector shift{};
  for (std::size_t i = 0; i < edges; ++i) shift[i] = tilted.mean[i] - cavity.mean[i];
  const SmallVector of_cavity =
      solve_upper(root.lower, solve_lower(root.lower, shift, edges), edges);
  const SmallVector of_site = times(precision, tilted.mean, edges);
  for (std::size_t i = 0; i < edges; ++i) {
    out.message.tau[i] = of_cavity[i] + of_site[i];
    if (!std::isfinite(out.message.tau[i])) return out;
  }
  out.is_proper = true;
  return out;
}

// About the cavity's mean, z = m + u: exp(tau' m - m' R m/2) times the integral of N(u; 0, C) exp(g' u - u' R u/2) with g = tau - R m,
// which is |I + C R|^-1/2 exp(g' (C^-1 + R)^-1 g/2).
double log_overlap(const SiteMoments& cavity, const SiteMessage& message, std::size_t edges) {
  const SmallVector at_mean = times(message.precision, cavity.mean, edges);
  const double log_there =
      dot(message.tau, cavity.mean, edges) - 0.5 * dot(at_mean, cavity.mean, edges);
  SmallVector g{};
  for (std::size_t i = 0; i < edges; ++i) g[i] = message.tau[i] - at_mean[i];
  if (edges == 1) {
    const double c = cavity.covariance(0, 0), share = 1 + c * message.precision(0, 0);
    return log_there - 0.5 * std::log(share) + 0.5 * g[0] * g[0] * c / share;
  }
  const SmallCholesky root = cholesky(cavity.covariance, edges);
  SmallMatrix sum = inverse(root, edges);
  for (std::size_t k = 0; k < sum.entries.size(); ++k)
    sum.entries[k] += message.precision.entries[k];
  const SmallCholesky joined = cholesky(sum, edges);
  const SmallVector at = solve_upper(joined.lower, solve_lower(joined.lower, g, edges), edges);
  return log_there - 0.5 * (root.log_determinant + joined.log_determinant) +
         0.5 * dot(g, at, edges);
}

}  // namespace postrider::internal
