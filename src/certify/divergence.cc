#include "certify/divergence.h"

#include <cmath>

namespace postrider::internal {

double kl_divergence(const Tabulated& p, const Gaussian& q) {
  return p.expect([&](double x, double log_p) { return log_p - q.log_density(x); });
}

MasterInstance master_instance(const Tabulated& exact_message, const Tabulated& exact_marginal,
                               const Gaussian& incoming, const Gaussian& sent) {
  const double delta = kl_divergence(exact_message, sent);
  const double log_z = exact_marginal.log_mass() - exact_message.log_mass();
  const double log_top = incoming.log_density(incoming.mean());
  return {delta, kl_divergence(exact_marginal, sent * incoming), std::exp(log_top - log_z) * delta};
}

}  // namespace postrider::internal
