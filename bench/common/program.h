// What the benchmark programs share: options, and the result file.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "experiments/common/result.h"

namespace postrider::bench {

struct Settings {
  bool quick = false;
  std::size_t repeats = 0;
  std::vector<std::string> cases;
  std::string data;  // folder of the data sets; empty if there is none
};

struct Program {
  std::string what;
  std::string full_folder, quick_folder;  // of the result files
  std::vector<std::string> cases;         // none: there is no --cases
  std::size_t repeats = 7;
  bool takes_data = false;
  std::function<experiments::Part(const Settings&)> run;
};

// Runs and writes the result file. The full results stand in the documents: a quick run, or one of
// some of the cases, may not replace them. Whether a claim holds depends on the machine, so it is
// printed and makes the exit code 1 only with --check.
int run_program(int argc, char** argv, const Program& program);

}  // namespace postrider::bench
