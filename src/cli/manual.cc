#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <memory>
#include <vector>

#include "cli/declare.h"
#include "cli/program.h"
#include "postrider/error.h"
#include "postrider/version.h"
#include "text/text_table.h"

namespace postrider::cli {
namespace {

// Hyphens and backslashes mean something to man; so do a dot and a quote at the start of a line.
std::string plain(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return !out.empty() && (out[0] == '.' || out[0] == '\'') ? "\\&" + out : out;
}

std::string option_text(const OptionDescription& option) {
  std::vector<std::string> names;
  for (const std::string& name : {option.short_name, option.long_name})
    if (!name.empty()) names.push_back(fmt::format("\\fB{}\\fR", plain(name)));
  std::string head = listed(names);
  if (!option.value.empty())
    head += fmt::format("{}\\fI{}\\fR", head.empty() ? "" : " ", plain(option.value));
  std::string about = plain(option.description);
  if (!option.preset.empty()) about += " (default " + plain(option.preset) + ")";
  return fmt::format(".TP\n{}\n{}\n", head, about);
}

std::string command_text(const ProgramDescription& program, const CommandDescription& command) {
  std::string usage = fmt::format("\\fB{} {}\\fR", program.name, plain(command.name));
  for (const OptionDescription& argument : command.arguments)
    usage += " \\fI" + plain(argument.value) + "\\fR";
  if (!command.options.empty()) usage += " [options]";
  std::string out =
      fmt::format(".SS {}\n{}\n.PP\n{}.\n", command.name, usage, plain(command.description));
  for (const OptionDescription& argument : command.arguments) out += option_text(argument);
  for (const OptionDescription& option : command.options)
    if (option.long_name != "--help") out += option_text(option);
  return out;
}

}  // namespace

std::string manual_page(const ProgramDescription& program) {
  std::string out = fmt::format(
      ".TH {0} 1 \"\" \"{0} {1}\" \"User Commands\"\n"
      ".SH NAME\n{0} \\- Bayesian neural networks from tables\n"
      ".SH SYNOPSIS\n\\fB{0}\\fR \\fIcommand\\fR [\\fIarguments\\fR] [options]\n"
      ".SH DESCRIPTION\n{2}\n"
      ".SH OPTIONS\n",
      program.name, plain(program.version), plain(program.description));
  for (const OptionDescription& option : program.options) out += option_text(option);
  out += ".SH COMMANDS\n";
  for (const CommandDescription& command : program.commands) out += command_text(program, command);
  out += ".SH EXIT STATUS\n";
  for (const ExitMeaning& one : exit_meanings())
    out += fmt::format(".TP\n\\fB{}\\fR\n{}\n", one.code, plain(one.meaning));
  out +=
      ".SH EXAMPLES\n.nf\n"
      "postrider train concrete.csv \\-\\-target y\n"
      "postrider evaluate model.safetensors test.csv\n"
      "postrider predict model.safetensors new.csv \\-o predictions.csv\n"
      "postrider report model.safetensors \\-\\-data test.csv \\-\\-out report.html\n.fi\n";
  return out;
}

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

std::string help_text(const CLI::App& app, const std::vector<std::string>& names) {
  const CLI::App* at = &app;
  for (const std::string& name : names) {
    const auto found =
        at->get_subcommands([&](const CLI::App* each) { return each->get_name() == name; });
    if (found.empty()) {
      std::vector<std::string> known;
      for (const CLI::App* each : at->get_subcommands([](const CLI::App*) { return true; }))
        known.push_back(each->get_name());
      reject("COMMAND", name, "must be one of " + listed(known) + did_you_mean(name, known));
    }
    at = found.front();
  }
  // App::help() would be that of the command that was called, which is `help`.
  std::string title = app.get_name();
  for (const std::string& name : names) title += " " + name;
  return at->get_formatter()->make_help(at, title, CLI::AppFormatMode::Normal);
}

namespace {

class ListFormatter final : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    constexpr std::string_view kMany = " ...";
    std::string out = CLI::Formatter::make_option_opts(option);
    if (option->get_delimiter() != '\0' && out.ends_with(kMany))
      out.replace(out.size() - kMany.size(), kMany.size(), ",...");
    return out;
  }
};

void add_number_lists(const CLI::App& app, std::vector<std::string>& to) {
  for (const CLI::Option* option : app.get_options()) {
    const std::string type = option->get_type_name();
    if (option->get_delimiter() == '\0' ||
        (!type.starts_with("UINT") && !type.starts_with("FLOAT")))
      continue;
    for (const std::string& name : option->get_lnames()) to.push_back("--" + name);
  }
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    add_number_lists(*command, to);
}

bool is_number(const std::string& text) {
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return !text.empty() && read.ec == std::errc() && read.ptr == text.data() + text.size();
}

}  // namespace

void spell_lists_with_commas(CLI::App& app) {
  const auto formatter = std::make_shared<ListFormatter>();
  app.formatter(formatter);
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
    command->formatter(formatter);
    for (CLI::App* below : command->get_subcommands([](CLI::App*) { return true; }))
      below->formatter(formatter);
  }
}

std::vector<std::string> with_joined_lists(const CLI::App& app,
                                           std::vector<std::string> arguments) {
  std::vector<std::string> lists, out;
  add_number_lists(app, lists);
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    out.push_back(arguments[k]);
    if (std::ranges::find(lists, arguments[k]) == lists.end() || k + 1 == arguments.size())
      continue;
    std::string joined = arguments[++k];
    std::ranges::replace(joined, ' ', ',');
    while (k + 1 < arguments.size() && is_number(arguments[k + 1])) joined += "," + arguments[++k];
    out.push_back(std::move(joined));
  }
  return out;
}

std::vector<ExitMeaning> exit_meanings() {
  const auto number = [](ExitCode code) { return static_cast<int>(code); };
  return {{number(ExitCode::ok), "all is well"},
          {number(ExitCode::check_failed), "a check failed: an inconsistency was found"},
          {number(ExitCode::usage), "a mistake in the call"},
          {number(ExitCode::unreadable), "a file cannot be read, used or written"},
          {number(ExitCode::internal), "a mistake of ours, or not enough memory"},
          {number(ExitCode::hung_up),
           "the terminal is gone (SIGHUP); what was learned is saved, from the first epoch on"},
          {number(ExitCode::interrupted),
           "interrupted by Ctrl-C; what was learned is saved, from the first epoch on"},
          {number(ExitCode::terminated),
           "terminated (SIGTERM); what was learned is saved, from the first epoch on"}};
}

}  // namespace postrider::cli
