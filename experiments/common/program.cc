#include "common/program.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <iostream>

#include "postrider/error.h"

namespace postrider::experiments {
namespace {

// Runs one part, prints what it shows, and says whether all its claims hold.
bool run(const NamedPart& named, const Settings& settings, const std::string& out) {
  const auto start = std::chrono::steady_clock::now();
  const Part part = named.second(settings);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  write(part, out);
  std::cout << named.first << " (" << static_cast<int>(seconds.count() * 10) / 10.0 << " s)\n";
  for (const Claim& claim : part.claims)
    std::cout << (claim.holds ? "  holds:         " : "  DOES NOT HOLD: ") << claim.text << "\n";
  for (const std::string& note : part.notes) std::cout << "  note:          " << note << "\n";
  std::cout << std::flush;
  return std::all_of(part.claims.begin(), part.claims.end(),
                     [](const Claim& claim) { return claim.holds; });
}

}  // namespace

int run_program(int argc, char** argv, const std::string& what, const std::string& results,
                const std::vector<NamedPart>& parts) {
  Settings settings;
  std::vector<std::string> names, known;
  for (const NamedPart& part : parts) known.push_back(part.first);
  std::string out = results;
  bool check = false;
  CLI::App app{what};
  app.add_option("part", names, "parts to run; all if none is named")->check(CLI::IsMember(known));
  app.add_option("--out", out, "folder of the result files")->capture_default_str();
  app.add_option("--seed", settings.seed, "seed")->capture_default_str();
  app.add_option("--threads", settings.threads, "threads; results do not depend on them")
      ->capture_default_str();
  app.add_option("--data", settings.data, "folder of the data sets, for parts that need one")
      ->envname("POSTRIDER_DATA");
  app.add_flag("--quick", settings.quick, "a small version: seconds instead of minutes");
  app.add_flag("--check", check, "exit with 1 if a claim does not hold");
  try {
    app.parse(argc, argv);
    bool all = true;
    for (const NamedPart& part : parts)
      if (names.empty() || std::find(names.begin(), names.end(), part.first) != names.end())
        all = run(part, settings, out) && all;
    return all || !check ? 0 : 1;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const Error& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
}

}  // namespace postrider::experiments
