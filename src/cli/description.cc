#include "cli/description.h"

#include <CLI/CLI.hpp>

#include "cli/exit_code.h"
#include "postrider/version.h"

namespace postrider::cli {
namespace {

OptionDescription option_of(const CLI::Option& option) {
  OptionDescription out;
  if (!option.get_snames().empty()) out.short_name = "-" + option.get_snames().front();
  if (!option.get_lnames().empty()) out.long_name = "--" + option.get_lnames().front();
  out.description = option.get_description();
  out.preset = option.get_default_str();
  if (option.get_positional())
    out.value = option.get_name(true);
  else if (option.get_expected_max() > 0)
    out.value = option.get_type_name().empty() ? "VALUE" : option.get_type_name();
  return out;
}

void add_commands(const CLI::App& app, const std::string& before, ProgramDescription& to) {
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    const std::string name = before + command->get_name();
    if (!command->get_subcommands([](const CLI::App*) { return true; }).empty()) {
      add_commands(*command, name + " ", to);
      continue;
    }
    CommandDescription out{name, command->get_description(), {}, {}};
    for (const CLI::Option* option : command->get_options())
      (option->get_positional() ? out.arguments : out.options).push_back(option_of(*option));
    to.commands.push_back(std::move(out));
  }
}

}  // namespace

ProgramDescription describe(const CLI::App& app) {
  ProgramDescription out{app.get_name(), kVersion, app.get_description(), {}, {}};
  for (const CLI::Option* option : app.get_options()) out.options.push_back(option_of(*option));
  add_commands(app, "", out);
  return out;
}

std::vector<ExitMeaning> exit_meanings() {
  const auto number = [](ExitCode code) { return static_cast<int>(code); };
  return {{number(ExitCode::ok), "all is well"},
          {number(ExitCode::check_failed), "a check failed: an inconsistency was found"},
          {number(ExitCode::usage), "a mistake in the call"},
          {number(ExitCode::unreadable), "a file cannot be read, used or written"},
          {number(ExitCode::internal), "a mistake of ours, or not enough memory"},
          {number(ExitCode::hung_up), "the terminal is gone (SIGHUP); what was learned is saved"},
          {number(ExitCode::interrupted), "interrupted by Ctrl-C; what was learned is saved"},
          {number(ExitCode::terminated), "terminated (SIGTERM); what was learned is saved"}};
}

}  // namespace postrider::cli
