#include "estimator/copies.h"

#include <algorithm>

#include "sweep/layout.h"

namespace postrider::internal {
namespace {

// Below this power the two ways hardly differ.
constexpr double kWorthDamping = 1.1;

}  // namespace

double damping_for(const EstimatorOptions& options, double power, std::size_t weights) {
  const double apart = std::max(0.0, 1 - 1 / power);
  const double asked = options.training.damping;
  if (options.copies == Copies::apart) return std::max(asked, apart);
  // Large networks have few epochs, in which damped ones do not come far.
  const bool is_chosen = options.copies == Copies::chosen && asked == 0 && power >= kWorthDamping &&
                         fits_the_cache_in_packs(weights);
  return is_chosen ? apart : asked;
}

}  // namespace postrider::internal
