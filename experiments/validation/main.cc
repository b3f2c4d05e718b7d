// The paper's validation of direct message approximation (its Appendix C), all six parts, and the
// properness count. Writes one result file per part; draw.py makes the figures from them.
#include <CLI/CLI.hpp>
#include <chrono>
#include <functional>
#include <iostream>

#include "postrider/error.h"
#include "result.h"

namespace {

using namespace postrider::validation;

const std::vector<std::pair<std::string, std::function<Part(const Settings&)>>> kParts{
    {"master_theorem", master_theorem},
    {"tightness", tightness},
    {"snr", snr},
    {"copy", copy},
    {"product_marginals", product_marginals},
    {"relu_marginals", relu_marginals},
    {"properness", properness},
};

// Runs one part, prints what it shows, and says whether all its claims hold.
bool run(const std::string& name, const std::function<Part(const Settings&)>& part,
         const Settings& settings, const std::string& out) {
  const auto start = std::chrono::steady_clock::now();
  const Part result = part(settings);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  write(result, out);
  std::cout << name << " (" << static_cast<int>(seconds.count() * 10) / 10.0 << " s)\n";
  bool all = true;
  for (const Claim& claim : result.claims) {
    std::cout << (claim.holds ? "  holds:         " : "  DOES NOT HOLD: ") << claim.text << "\n";
    all = all && claim.holds;
  }
  std::cout << std::flush;
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  std::vector<std::string> names;
  std::string out = POSTRIDER_RESULTS;
  bool check = false;
  CLI::App app{
      "Validates the factors as the paper's Appendix C does, and counts improper messages."};
  app.add_option("part", names, "parts to run; all if none is named");
  app.add_option("--out", out, "folder of the result files")->capture_default_str();
  app.add_option("--seed", settings.seed, "seed")->capture_default_str();
  app.add_option("--threads", settings.threads, "threads; results do not depend on them")
      ->capture_default_str();
  CLI::Option* evaluations =
      app.add_option("--evaluations", settings.evaluations, "message evaluations of properness")
          ->capture_default_str();
  app.add_flag("--quick", settings.quick, "a small version: seconds instead of minutes");
  app.add_flag("--check", check, "exit with 1 if a claim does not hold");
  try {
    app.parse(argc, argv);
    if (settings.quick && evaluations->count() == 0) settings.evaluations = 1e7;
    bool all = true;
    for (const std::string& name : names)
      if (std::none_of(kParts.begin(), kParts.end(), [&](auto& p) { return p.first == name; }))
        postrider::reject("part", name, "is not a part; see --help");
    for (const auto& [name, part] : kParts)
      if (names.empty() || std::find(names.begin(), names.end(), name) != names.end())
        all = run(name, part, settings, out) && all;
    return all || !check ? 0 : 1;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const postrider::Error& error) {
    std::cerr << "validation: " << error.what() << "\n";
    return 2;
  }
}
