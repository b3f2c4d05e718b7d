// Factors that are not Gaussian, of up to three linear combinations z = A x of a model's variables: sites.
//
// A site's message is Gaussian in z, exp(tau' z - z' R z/2). It is what remains of the tilted belief, cavity times factor, when the
// cavity is divided out again. One projection rule serves all sites: with the cavity N(m, C), and M and V the mean and the covariance of the
// tilted belief,
//
//   R = V^-1 - C^-1, or the least that is allowed,   tau = (R + C^-1) M - C^-1 m.
//
// tau follows from the R that is sent, so that cavity times message has the mean M also where R was held. Factors whose
// logarithm is concave have R >= 0, where only rounding goes below.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "math/small_matrix.h"

namespace postrider::internal {

struct SiteMoments {
  SmallVector mean{};
  SmallMatrix covariance;
};

struct Tilted {
  SiteMoments moments;
  double log_mass = 0;  // log of the integral of cavity times factor
  bool is_found = false;
};

struct SiteMessage {
  SmallVector tau{};
  SmallMatrix precision;
};

// The rule above. `least` is the smallest precision in any direction, in shares of the cavity's, at most 0 and above -1.
struct Projection {
  SiteMessage message;
  bool is_held = false;
  bool is_proper = false;  // else there is no message: a covariance was not positive definite
};
Projection project(const SiteMoments& cavity, const SiteMoments& tilted, double least,
                   std::size_t edges);

// log of the integral of cavity times exp(tau' z - z' R z/2).
double log_overlap(const SiteMoments& cavity, const SiteMessage& message, std::size_t edges);

// The factor of all rows of a plate.
class SiteRule {
 public:
  virtual ~SiteRule() = default;
  virtual std::size_t edges() const = 0;
  // The smallest precision that `project` may send.
  virtual double least_precision() const { return 0; }
  // The tilted belief of each of these rows. What `tilted` holds at the start is the former belief, or nothing.
  virtual void tilt(std::span<const std::uint32_t> rows, std::span<const SiteMoments> cavities,
                    std::span<Tilted> tilted) const = 0;
  // log f of each of these rows at edges() numbers each.
  virtual void log_density(std::span<const std::uint32_t> rows, std::span<const double> z,
                           std::span<double> out) const = 0;
};

}  // namespace postrider::internal
