// Training that is spread over shards: what it costs in quality, and what it gains in time.
#include "parts.h"

int main(int argc, char** argv) {
  using namespace postrider::experiments;
  return run_program(argc, argv, "Trains regressors that are spread over virtual workers.",
                     {POSTRIDER_RESULTS, POSTRIDER_QUICK_RESULTS},
                     {{"quality", quality, true},
                      {"guard", guard, true},
                      {"forgetting", forgetting, true},
                      {"merging", merging, true}});
}
