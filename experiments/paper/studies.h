// The paper's three experiments, each run once however many parts ask for it.
#pragma once

#include <map>

#include "study.h"

namespace postrider::experiments {
using namespace internal;

class Studies {
 public:
  Part small(const Settings& settings);
  Part mismatch(const Settings& settings);
  Part large(const Settings& settings);
  // Per quantity that the paper prints: its value, ours by both rules, where they differ.
  Part summary(const Settings& settings);

 private:
  const std::vector<Cell>& cells(const Study& study, const Settings& settings);

  std::map<std::string, std::vector<Cell>> cells_;
};

Study small_study(bool quick);
Study mismatch_study(bool quick);
Study large_study(bool quick);

// One study's entries of the summary; claims that the paper's likelihoods are reproduced.
Object summarise(const Study& study, const std::vector<Cell>& cells, const Settings& settings,
                 Part& part);

}  // namespace postrider::experiments
