// Experiments on rows that come one after the other.
#include "parts.h"

int main(int argc, char** argv) {
  using namespace postrider::experiments;
  return run_program(argc, argv, "Learns streams of rows and tests what they taught.",
                     {POSTRIDER_RESULTS, POSTRIDER_QUICK_RESULTS},
                     {{"cuts", cuts, true},
                      {"bike", bike, true},
                      {"elec2", elec2, true},
                      {"weather", weather, true},
                      {"changes", changes},
                      {"onepass", onepass},
                      {"scale", scale, false}});
}
