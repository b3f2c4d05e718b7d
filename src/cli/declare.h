// Which commands there are, with their options. What reads them is CLI11.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/program.h"

namespace CLI {
class App;
}

namespace postrider::cli {

// What a command does once its options are read.
using Action = std::function<ExitCode()>;

// The command that is called leaves what it will do in `chosen`, which must outlive the app.
void declare_commands(CLI::App& app, Action& chosen);

// --- The commands of sparse models, with their options.

void declare_sparse(CLI::App& app, Action& chosen);

// --- The program as plain values, from which completions and the manual page are written.

struct OptionDescription {
  std::string short_name, long_name;  // "-o", "--output"; both empty: an argument by its place
  std::string value;                  // what it takes, such as "FILE"; empty for a flag
  std::string description, preset;    // preset: what holds if it is not given
};

struct CommandDescription {
  std::string name;  // "train", or "factor certify"
  std::string description;
  std::vector<OptionDescription> arguments, options;
};

struct ProgramDescription {
  std::string name, version, description;
  std::vector<OptionDescription> options;  // of every command
  std::vector<CommandDescription> commands;
};

ProgramDescription describe(const CLI::App& app);

// The help of a command, or of the program if none is named. Throws InvalidArgument if there is no such command.
std::string help_text(const CLI::App& app, const std::vector<std::string>& names);
// Makes help say that the values of a list have commas between them.
void spell_lists_with_commas(CLI::App& app);
// Arguments in which the numbers of a list may also have spaces between them.
std::vector<std::string> with_joined_lists(const CLI::App& app, std::vector<std::string> arguments);

struct ExitMeaning {
  int code;
  const char* meaning;
};
std::vector<ExitMeaning> exit_meanings();

// --- Scripts that let a shell complete commands, options and files.

// The script for bash, zsh or fish. Throws InvalidArgument for others.
std::string completion_script(const ProgramDescription& program, const std::string& shell);

// --- The manual page, in the language of man.

std::string manual_page(const ProgramDescription& program);

}  // namespace postrider::cli
