// The paper's validation of direct message approximation (its Appendix C), all six parts, and the
// properness count. Writes one result file per part; draw.py makes the figures from them.
#include "parts.h"

int main(int argc, char** argv) {
  using namespace postrider::experiments;
  return run_program(
      argc, argv,
      "Validates the factors as the paper's Appendix C does, and counts improper messages.",
      {POSTRIDER_RESULTS, POSTRIDER_QUICK_RESULTS},
      {{"master_theorem", master_theorem},
       {"tightness", tightness},
       {"snr", snr},
       {"copy", copy},
       {"product_marginals", product_marginals},
       {"relu_marginals", relu_marginals},
       {"properness", properness}});
}
