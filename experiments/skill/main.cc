// Skill ratings through time: international football and Halo 2, each game predicted from those before it with everything
// learned, and generated games up to ten million.
#include "parts.h"

int main(int argc, char** argv) {
  using namespace postrider::experiments;
  return run_program(argc, argv, "Rates players through time, from real and from generated games.",
                     {POSTRIDER_RESULTS, POSTRIDER_QUICK_RESULTS},
                     {{"football", football, /*needs_data=*/true},
                      {"halo2", halo2, /*needs_data=*/true},
                      {"scale", scale}});
}
