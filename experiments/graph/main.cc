// The graph engine against linear algebra: random trees, and a chain of a million steps.
#include "parts.h"

int main(int argc, char** argv) {
  using namespace postrider::experiments;
  return run_program(argc, argv, "Checks the graph engine against linear algebra.",
                     POSTRIDER_RESULTS, {{"trees", trees}, {"chain", chain}});
}
