// The paper's regression experiments, by its messages and by ours.
#include "site_study.h"
#include "studies.h"

int main(int argc, char** argv) {
  using namespace postrider::experiments;
  Studies studies;
  return run_program(
      argc, argv, "Runs the paper's experiments with direct and with conditioned messages.",
      {POSTRIDER_RESULTS, POSTRIDER_QUICK_RESULTS},
      {{"small", [&](const Settings& settings) { return studies.small(settings); }},
       {"mismatch", [&](const Settings& settings) { return studies.mismatch(settings); }},
       {"large", [&](const Settings& settings) { return studies.large(settings); }},
       {"summary", [&](const Settings& settings) { return studies.summary(settings); }},
       {"ep", propagation}});
}
