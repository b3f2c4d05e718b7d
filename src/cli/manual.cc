#include "cli/manual.h"

#include <fmt/format.h>

#include <vector>

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

}  // namespace postrider::cli
