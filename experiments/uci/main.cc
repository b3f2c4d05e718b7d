// Regression on the UCI sets with the defaults, nothing chosen per set.
#include "parts.h"

int main(int argc, char** argv) {
  using namespace postrider::experiments;
  return run_program(argc, argv, "Trains and tests regressors with their defaults on the UCI sets.",
                     {POSTRIDER_RESULTS, POSTRIDER_QUICK_RESULTS},
                     {{"summary", benchmark, true},
                      {"shapes", shapes, true},
                      {"widening", widening, true},
                      {"missing", missing, true},
                      {"trials", trials, true}});
}
