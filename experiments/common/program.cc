#include "common/program.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <system_error>

#include "postrider/error.h"

namespace postrider::experiments {
namespace {

// Runs one part, prints what it shows, and says whether all its claims hold.
bool run(const NamedPart& named, const Settings& settings, const std::string& out) {
  const auto start = std::chrono::steady_clock::now();
  const Part part = named.run(settings);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  write(part, out, settings.sets.empty() ? Entries::replaced : Entries::kept);
  std::cout << named.name << " (" << static_cast<int>(seconds.count() * 10) / 10.0 << " s)\n";
  for (const Claim& claim : part.claims)
    std::cout << (claim.holds ? "  holds:         " : "  DOES NOT HOLD: ") << claim.text << "\n";
  for (const std::string& note : part.notes) std::cout << "  note:          " << note << "\n";
  std::cout << std::flush;
  return std::all_of(part.claims.begin(), part.claims.end(),
                     [](const Claim& claim) { return claim.holds; });
}

// The parts that were asked for. One asked for by its name may not be left out.
std::vector<NamedPart> chosen(const std::vector<NamedPart>& parts,
                              const std::vector<std::string>& names, const Settings& settings) {
  std::vector<NamedPart> out;
  for (const NamedPart& part : parts) {
    const bool is_named = std::find(names.begin(), names.end(), part.name) != names.end();
    if (!is_named && !names.empty()) continue;
    if (!part.needs_data || !settings.data.empty()) {
      out.push_back(part);
    } else if (is_named) {
      reject("--data", settings.data, "the part " + part.name + " needs the data sets");
    } else {
      std::cout << part.name << ": skipped, it needs --data DIR or POSTRIDER_DATA\n";
    }
  }
  return out;
}

std::string folder_of(const std::string& given, const Folders& folders, bool quick) {
  if (given.empty()) return quick ? folders.quick : folders.full;
  std::error_code missing;  // a folder that is not there yet is not the full one
  if (quick && std::filesystem::equivalent(given, folders.full, missing))
    reject("--out", given, "holds the full results, which a quick run may not replace");
  return given;
}

}  // namespace

std::vector<std::string> Settings::sets_of(const std::vector<std::string>& all,
                                           const std::vector<std::string>& quick_sets) const {
  if (sets.empty()) return quick ? quick_sets : all;
  for (const std::string& name : sets)
    if (std::find(all.begin(), all.end(), name) == all.end())
      reject("--sets", name, "must be a name of a set, as its folder has it");
  return sets;
}

int run_program(int argc, char** argv, const std::string& what, const Folders& folders,
                const std::vector<NamedPart>& parts) {
  Settings settings;
  std::vector<std::string> names, known;
  for (const NamedPart& part : parts) known.push_back(part.name);
  std::string out;
  bool check = false;
  CLI::App app{what};
  app.add_option("part", names, "parts to run; all if none is named")->check(CLI::IsMember(known));
  app.add_option(
      "--out", out,
      "folder of the result files; else " + folders.full + ", with --quick " + folders.quick);
  app.add_option("--seed", settings.seed, "seed")->capture_default_str();
  app.add_option("--threads", settings.threads, "threads; results do not depend on them")
      ->capture_default_str();
  app.add_option("--data", settings.data, "folder of the data sets, for parts that need one")
      ->envname("POSTRIDER_DATA");
  app.add_option(
         "--sets", settings.sets,
         "data sets to run, where a part has several; what result files hold of the others stays")
      ->delimiter(',');
  app.add_flag("--quick", settings.quick, "a small version: seconds instead of minutes");
  app.add_flag("--check", check, "exit with 1 if a claim does not hold");
  try {
    app.parse(argc, argv);
    const std::string folder = folder_of(out, folders, settings.quick);
    bool all = true;
    for (const NamedPart& part : chosen(parts, names, settings))
      all = run(part, settings, folder) && all;
    std::cout << "results: " << folder << "\n";
    return all || !check ? 0 : 1;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const Error& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
}

}  // namespace postrider::experiments
