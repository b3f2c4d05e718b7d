// KL divergences between an exact density, known by quadrature, and a Gaussian.
#pragma once

#include "certify/exact_message.h"

namespace postrider::internal {

// KL(p || q) for a tabulated density p.
double kl_divergence(const Tabulated& p, const Gaussian& q);

// One instance of the master theorem.
struct MasterInstance {
  double message_kl;   // delta = KL(exact message || approximate message)
  double marginal_kl;  // KL of the normalised products with the incoming message
  double bound;        // ||incoming||_inf/Z delta
  double ratio() const { return marginal_kl / bound; }
};

// `exact_message` and `exact_marginal` belong to one edge, `incoming` came in there, `sent` went
// out.
MasterInstance master_instance(const Tabulated& exact_message, const Tabulated& exact_marginal,
                               const Gaussian& incoming, const Gaussian& sent);

}  // namespace postrider::internal
