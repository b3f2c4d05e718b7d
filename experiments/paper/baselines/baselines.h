// The gradient baselines, each run once however many parts ask for it.
#pragma once

#include <map>
#include <optional>

#include "baselines/ivon.h"

namespace postrider::experiments {

class Baselines {
 public:
  Part adam(const Settings& settings);
  Part mismatch_adam(const Settings& settings);
  Part large_adam(const Settings& settings);
  Part laplace(const Settings& settings);
  Part ivon_sweep(const Settings& settings);
  Part ivon(const Settings& settings);

  // Adds to the summary.
  void summarise(const Settings& settings, Part& part);

 private:
  // Runs on the first call with this name.
  const std::vector<Arm>& arms(const std::string& name,
                               const std::function<std::vector<Arm>()>& run);
  const IvonSweep& sweep(const Settings& settings);

  std::map<std::string, std::vector<Arm>> arms_;
  std::optional<IvonSweep> sweep_;
};

}  // namespace postrider::experiments
