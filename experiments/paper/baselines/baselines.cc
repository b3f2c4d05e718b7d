#include "baselines/baselines.h"

#include "baselines/adam_study.h"
#include "baselines/laplace.h"

namespace postrider::experiments {

const std::vector<Arm>& Baselines::arms(const std::string& name,
                                        const std::function<std::vector<Arm>()>& run) {
  const auto found = arms_.find(name);
  if (found != arms_.end()) return found->second;
  return arms_.emplace(name, run()).first->second;
}

const IvonSweep& Baselines::sweep(const Settings& settings) {
  if (!sweep_) sweep_ = sweep_ivon(settings);
  return *sweep_;
}

Part Baselines::adam(const Settings& settings) {
  const AdamStudy study = small_adam(settings.quick);
  const std::vector<Arm>& found = arms(study.name, [&] { return run(study, settings); });
  Part out = describe(study, found, settings);
  out.result.push_back({"summary", {experiments::summarise(study, found, settings, out)}});
  check_updates(settings, out);
  check_bands(found,
              {{"batches_adam_0.01", &Outcome::training, -0.190},
               {"batches_adamw_0.01_1", &Outcome::beyond, 0.752},
               {"full_adam_0.01", &Outcome::training, 1.379}},
              settings, out);
  return out;
}

Part Baselines::mismatch_adam(const Settings& settings) {
  const AdamStudy study = experiments::mismatch_adam(settings.quick);
  const std::vector<Arm>& found = arms(study.name, [&] { return run(study, settings); });
  Part out = describe(study, found, settings);
  out.result.push_back({"summary", {experiments::summarise(study, found, settings, out)}});
  check_bands(found,
              {{"batches_adamw_0.1_0.1", &Outcome::beyond, -0.315},
               {"full_adamw_0.1_1", &Outcome::beyond, 0.044}},
              settings, out);
  return out;
}

Part Baselines::large_adam(const Settings& settings) {
  const AdamStudy study = experiments::large_adam(settings.quick);
  const std::vector<Arm>& found = arms(study.name, [&] { return run(study, settings); });
  Part out = describe(study, found, settings);
  out.result.push_back({"summary", {experiments::summarise(study, found, settings, out)}});
  check_bands(found, {{"batches_adam_0.01", &Outcome::training, -0.586}}, settings, out);
  return out;
}

Part Baselines::laplace(const Settings& settings) {
  const std::vector<Arm>& found = arms("laplace", [&] { return run_laplace(settings); });
  Part out = describe_laplace(found, settings);
  out.result.push_back({"summary", {summarise_laplace(found, settings, out)}});
  check_bands(found,
              {{"printed_prior", &Outcome::beyond, 0.230}, {"own_prior", &Outcome::beyond, 0.251}},
              settings, out);
  return out;
}

Part Baselines::ivon_sweep(const Settings& settings) { return describe_sweep(sweep(settings)); }

Part Baselines::ivon(const Settings& settings) {
  const std::vector<Arm>& found = arms("ivon", [&] { return run_ivon(sweep(settings), settings); });
  Part out = describe_ivon(found, settings);
  out.result.push_back({"summary", {summarise_ivon(found, settings, out)}});
  check_ivon(settings, out);
  check_bands(found, {{"best", &Outcome::beyond, 0.314}}, settings, out);
  return out;
}

void Baselines::summarise(const Settings& settings, Part& part) {
  for (const Part& from : {adam(settings), mismatch_adam(settings), large_adam(settings),
                           laplace(settings), ivon(settings)})
    for (const auto& [name, node] : from.result)
      if (name == "summary") part.result.push_back({from.name, node});
}

}  // namespace postrider::experiments
