#include "bench/common/program.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <system_error>

#include "postrider/error.h"

namespace postrider::bench {
namespace {

std::string folder_of(const std::string& given, const Program& program, bool whole) {
  if (given.empty()) return whole ? program.full_folder : program.quick_folder;
  std::error_code missing;  // a folder that is not there yet is not the full one
  if (!whole && std::filesystem::equivalent(given, program.full_folder, missing))
    reject("--out", given, "holds the full results, which a part of them may not replace");
  return given;
}

}  // namespace

int run_program(int argc, char** argv, const Program& program) {
  Settings settings;
  std::string out;
  bool check = false;
  CLI::App app{program.what};
  if (!program.cases.empty())
    app.add_option("--cases", settings.cases, "cases to run, with commas between; all if not given")
        ->delimiter(',')
        ->check(CLI::IsMember(program.cases));
  app.add_option("--repeats", settings.repeats,
                 "measurements of each; " + std::to_string(program.repeats) + " if not given");
  if (program.takes_data)
    app.add_option("--data", settings.data, "folder of the data sets")->envname("POSTRIDER_DATA");
  app.add_option("--out", out,
                 "folder of the result file; else " + program.full_folder +
                     ", or for a part of it " + program.quick_folder);
  app.add_flag("--quick", settings.quick, "small and once, to see that it runs");
  app.add_flag("--check", check, "exit with 1 if a goal is not reached");
  try {
    app.parse(argc, argv);
    const bool whole = !settings.quick && settings.cases.empty();
    const std::string folder = folder_of(out, program, whole);
    if (settings.cases.empty()) settings.cases = program.cases;
    if (settings.repeats == 0) settings.repeats = settings.quick ? 1 : program.repeats;
    const experiments::Part part = program.run(settings);
    write(part, folder);
    for (const experiments::Claim& claim : part.claims)
      std::cout << (claim.holds ? "  reached:     " : "  NOT REACHED: ") << claim.text << "\n";
    std::cout << "  result: " << folder << "/" << part.name << ".json\n";
    const bool all = std::all_of(part.claims.begin(), part.claims.end(),
                                 [](const experiments::Claim& claim) { return claim.holds; });
    return all || !check ? 0 : 1;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const Error& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
}

}  // namespace postrider::bench
