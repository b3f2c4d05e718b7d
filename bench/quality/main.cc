// How good the results of the sweep engine are: against the graph engine, in float, over hundreds of
// epochs, in the time that Adam needs, and in blocks of examples.
#include "bench/epoch/environment.h"
#include "bench/quality/parts.h"

int main(int argc, char** argv) {
  using namespace postrider::bench;
  prepare_environment(argv);
  return postrider::experiments::run_program(argc, argv,
                                             "Measures the quality of trained networks.",
                                             {POSTRIDER_RESULTS, POSTRIDER_QUICK_RESULTS},
                                             {{"equivalence", equivalence},
                                              {"float_growth", float_growth},
                                              {"stability", stability},
                                              {"time_to_quality", time_to_quality},
                                              {"blocks", blocks, /*needs_data=*/true}});
}
