// The parts of the validation: six of the paper's Appendix C, and properness.
#pragma once

#include "common/program.h"

namespace postrider::experiments {

// For references by importance sampling.
inline std::size_t sample_count(const Settings& settings) {
  return settings.quick ? 50'000 : 500'000;
}

Part master_theorem(const Settings& settings);
Part tightness(const Settings& settings);
Part snr(const Settings& settings);
Part copy(const Settings& settings);
Part product_marginals(const Settings& settings);
Part relu_marginals(const Settings& settings);
Part properness(const Settings& settings);

}  // namespace postrider::experiments
