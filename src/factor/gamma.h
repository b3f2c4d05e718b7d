// Gamma beliefs of numbers g above 0, p(g) proportional to g^(shape - 1) exp(-rate g), and what observations send to them.
//
// Whatever has a likelihood proportional to g^events exp(-g exposure) adds its events to the shape and its exposure to the rate, exactly:
// counts y that are Poisson of mean g t (events y, exposure t), waiting times t of rate g (1, t), and normal numbers y of known mean m and
// precision g (1/2, (y - m)^2/2).
#pragma once

namespace postrider::internal {

// log of the integral of the belief's g^events exp(-g exposure), for shape and rate above 0, events and exposure at least 0.
double log_events_mass(double shape, double rate, double events, double exposure);

}  // namespace postrider::internal
