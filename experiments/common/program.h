// A program of several parts: options, running, printing, result files.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "common/result.h"

namespace postrider::experiments {

struct Settings {
  bool quick = false;
  std::uint64_t seed = 1;
  unsigned threads = 2;
  std::string data;  // folder of the data sets; empty if there is none
};

using NamedPart = std::pair<std::string, std::function<Part(const Settings&)>>;

// Runs the parts named on the command line, or all, and writes their results. With --check a claim
// that does not hold makes the exit code 1; a mistake in the call makes it 2.
int run_program(int argc, char** argv, const std::string& what, const std::string& results,
                const std::vector<NamedPart>& parts);

}  // namespace postrider::experiments
