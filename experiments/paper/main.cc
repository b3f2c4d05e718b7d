// The paper's regression experiments: by its messages, by ours, and by the gradient methods that it
// compares with.
#include <iostream>

#include "baselines/baselines.h"
#include "site_study.h"
#include "studies.h"

namespace postrider::experiments {
using namespace internal;
namespace {

std::vector<NamedPart> parts_of(Studies& studies, Baselines& baselines) {
  std::vector<NamedPart> out{
      {"small", [&](const Settings& settings) { return studies.small(settings); }},
      {"mismatch", [&](const Settings& settings) { return studies.mismatch(settings); }},
      {"large", [&](const Settings& settings) { return studies.large(settings); }},
      {"ep", propagation}};
  if (has_gradients()) {
    out.insert(
        out.end(),
        {{"adam", [&](const Settings& settings) { return baselines.adam(settings); }},
         {"mismatch_adam",
          [&](const Settings& settings) { return baselines.mismatch_adam(settings); }},
         {"large_adam", [&](const Settings& settings) { return baselines.large_adam(settings); }},
         {"laplace", [&](const Settings& settings) { return baselines.laplace(settings); }},
         {"ivon_sweep", [&](const Settings& settings) { return baselines.ivon_sweep(settings); }},
         {"ivon", [&](const Settings& settings) { return baselines.ivon(settings); }}});
  } else {
    std::cout << "built without libtorch: no gradient baselines\n";
  }
  out.push_back({"summary", [&](const Settings& settings) {
                   Part part = studies.summary(settings);
                   if (has_gradients()) baselines.summarise(settings, part);
                   return part;
                 }});
  return out;
}

}  // namespace
}  // namespace postrider::experiments

int main(int argc, char** argv) {
  using namespace postrider::experiments;
  Studies studies;
  Baselines baselines;
  return run_program(argc, argv,
                     "Runs the paper's experiments with direct and with conditioned messages, and "
                     "its gradient baselines.",
                     {POSTRIDER_RESULTS, POSTRIDER_QUICK_RESULTS}, parts_of(studies, baselines));
}
