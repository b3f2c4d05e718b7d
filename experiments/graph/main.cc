// The graph engine against linear algebra: random trees, and a chain of a million steps;
// and skills rated from real games.
#include "parts.h"

int main(int argc, char** argv) {
  using namespace postrider::experiments;
  return run_program(argc, argv, "Checks the graph engine against linear algebra and real games.",
                     {POSTRIDER_RESULTS, POSTRIDER_QUICK_RESULTS},
                     {{"trees", trees},
                      {"chain", chain},
                      {"convergence", convergence},
                      {"networks", networks},
                      {"skill", skill, /*needs_data=*/true}});
}
