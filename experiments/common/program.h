// A program of several parts: options, running, printing, result files.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/result.h"

namespace postrider::experiments {

struct Settings {
  bool quick = false;
  std::uint64_t seed = 1;
  unsigned threads = 2;
  std::string data;                    // folder of the data sets; empty if there is none
  std::vector<std::string> sets = {};  // data sets to run; all if none is named

  // Those of these that were asked for; of a quick run the few it has. Throws InvalidArgument if one is unknown.
  std::vector<std::string> sets_of(const std::vector<std::string>& all,
                                   const std::vector<std::string>& quick_sets) const;
};

struct NamedPart {
  std::string name;
  std::function<Part(const Settings&)> run;
  bool needs_data = false;  // left out of a run of all parts if there is no data
};

// Where results go if the call does not say. The full ones are kept with the sources and stand in
// the documents, so a quick run has a folder of its own and may not write among them.
struct Folders {
  std::string full, quick;
};

// Runs the parts named on the command line, or all, and writes their results. With --check a claim
// that does not hold makes the exit code 1; a mistake in the call makes it 2.
int run_program(int argc, char** argv, const std::string& what, const Folders& folders,
                const std::vector<NamedPart>& parts);

}  // namespace postrider::experiments
