#include "cli/program.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <csignal>
#include <exception>
#include <iostream>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/declare.h"
#include "cli/declared_commands.h"
#include "events/stream_log.h"
#include "io/output.h"
#include "postrider/budget.h"
#include "postrider/error.h"
#include "postrider/version.h"
#include "text/json_text.h"
#include "text/terminal.h"
#include "text/text_table.h"

namespace postrider::cli {
namespace {

constexpr const char* kLessMemory =
    "; --memory says how much training may take in all, --store-budget how much its stored "
    "messages, and --stream learns in constant memory";

class Program {
 public:
  Program();
  int run(int count, char** arguments);

 private:
  enum class LogForm { plain, timed, json };

  int mistake(const CLI::ParseError& error);
  LogForm log_form() const;
  std::string explained(const CLI::ParseError& error) const;
  std::string not_converted(const CLI::ParseError& error) const;
  std::string command_name() const;  // "train", or "factor certify"
  const CLI::App* innermost() const;
  // What ends the program: a line as those that the command writes while it runs.
  int tell(const std::string& what, ExitCode code) const;

  CLI::App app_;
  Action action_;
};

Program::Program()
    : app_("Bayesian neural networks from tables: predictions that say how sure they are.",
           "postrider") {
  app_.require_subcommand(1);
  app_.allow_config_extras(CLI::config_extras_mode::error);
  app_.set_version_flag("--version", std::string("postrider ") + kVersion, "print the version");
  app_.set_config("--config", "", "options from a TOML file, in a section per command")
      ->type_name("FILE");
  app_.config_formatter(std::make_shared<StrictConfig>(app_));
  app_.set_help_flag("-h,--help", "print this help");
  std::string codes = "Exit codes:\n";
  for (const ExitMeaning& one : exit_meanings())
    codes += "  " + std::to_string(one.code) + std::string(one.code < 100 ? 5 : 3, ' ') +
             one.meaning + "\n";
  app_.footer(codes);
  declare_commands(app_, action_);
  spell_lists_with_commas(app_);
}

const CLI::App* Program::innermost() const {
  const CLI::App* at = &app_;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().back();
  return at;
}

std::string Program::command_name() const {
  std::string out;
  for (const CLI::App* at = innermost(); at != &app_; at = at->get_parent())
    out = at->get_name() + (out.empty() ? "" : " " + out);
  return out;
}

// The command or option that an unexpected argument is most like.
std::string suggestion(const CLI::App& command, const std::string& wrong) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  for (const CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(sub->get_name());
  return did_you_mean(wrong, names);
}

// "INI was not able to parse train.epoch", as CLI11 says it.
std::string not_configured(const CLI::ParseError& error) {
  constexpr std::string_view kPrefix = "INI was not able to parse ";
  std::string what = error.what();
  if (!what.starts_with(kPrefix)) return "--config: " + what;
  return "--config: " + what.substr(kPrefix.size()) + ": is not an option of a command";
}

// CLI11 knows what is wrong; here it is said in our words, with what would be accepted.
std::string Program::explained(const CLI::ParseError& error) const {
  const CLI::App& command = *innermost();
  const std::vector<std::string> extra = app_.remaining(true);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !extra.empty())
    return extra.front() + ": is not expected here" + suggestion(command, extra.front());
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) return not_converted(error);
  if (dynamic_cast<const CLI::ConfigError*>(&error) != nullptr) return not_configured(error);
  // A command that does not exist is an argument too many, which is noticed after one too few.
  if (&command == &app_ || command.get_name() == "factor") {
    std::vector<std::string> names;
    for (const CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; }))
      names.push_back(sub->get_name());
    const std::string wrong = extra.empty() ? "" : extra.front();
    return (wrong.empty() ? "which command? " : wrong + ": is not a command; ") + "there are " +
           listed(names) + (wrong.empty() ? "" : did_you_mean(wrong, names));
  }
  return error.what();
}

// "Could not convert: --max-epochs = many", as CLI11 says it.
std::string Program::not_converted(const CLI::ParseError& error) const {
  constexpr std::string_view kPrefix = "Could not convert: ";
  std::string what = error.what();
  if (!what.starts_with(kPrefix)) return what;
  what.erase(0, kPrefix.size());
  const CLI::Option* option = innermost()->get_option_no_throw(what.substr(0, what.find(' ')));
  const bool whole = option != nullptr && option->get_type_name().starts_with("UINT");
  return what + (whole ? ": must be a whole number of at least 0" : ": must be a number");
}

// Commands that run for long have --log, and somebody or something reads what they write, the last line as well.
Program::LogForm Program::log_form() const {
  const CLI::Option* option = innermost()->get_option_no_throw("--log");
  if (option == nullptr) return LogForm::plain;
  const bool is_json = option->count() > 0 && option->results().back() == "json";
  return is_json ? LogForm::json : LogForm::timed;
}

// Fields whose options have names of their own, in every command that has them; those of the tables of options are spelled by the library.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kOptions{{
    {"categorical", "--categorical"},
    {"class_weights", "--class-weights"},
    {"classify", "--classify"},
    {"ignored", "--ignore"},
    {"key", "--key"},
    {"numeric", "--numeric"},
    {"regress", "--regress"},
    {"weights", "--weights"},
}};

// In the words of the command line: `ignored = "id": ...` names the option that the user wrote, `--ignore = "id": ...`. A text is
// quoted; numbers belong to columns, which may be called the same.
std::string spelled(const InvalidArgument& error) {
  if (error.value().starts_with('"'))
    for (const auto& [field, option] : kOptions)
      if (error.field() == field) return error.about(option).what();
  return error.what();
}

int Program::tell(const std::string& what, ExitCode code) const {
  const LogForm form = log_form();
  if (form == LogForm::json) {
    std::cerr << json_object({{"time", json_text(time_text())},
                              {"level", json_text("error")},
                              {"message", json_text(what)},
                              {"exit_code", std::to_string(static_cast<int>(code))}})
              << "\n";
    return static_cast<int>(code);
  }
  if (form == LogForm::timed && isatty(STDERR_FILENO) != 1) std::cerr << time_text() << " ";
  std::cerr << "postrider: " << command_name() << ": " << printable(what) << "\n";
  return static_cast<int>(code);
}

int Program::mistake(const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) {  // help and version
    app_.exit(error);
    if (std::cout.flush()) return static_cast<int>(ExitCode::ok);
    std::cerr << "postrider: cannot write standard output: is the disk full, or its reader gone?\n";
    return static_cast<int>(ExitCode::unreadable);
  }
  const std::string name = command_name();
  if (log_form() == LogForm::json) return tell(explained(error), ExitCode::usage);
  std::cerr << "postrider: " << (name.empty() ? "" : name + ": ") << explained(error) << "\n"
            << "see postrider " << (name.empty() ? "" : name + " ") << "--help\n";
  return static_cast<int>(ExitCode::usage);
}

int Program::run(int count, char** arguments) {
  try {
    std::vector<std::string> given =
        with_joined_lists(app_, std::vector<std::string>(arguments + 1, arguments + count));
    std::reverse(given.begin(), given.end());  // as CLI11 takes a list
    app_.parse(std::move(given));
  } catch (const CLI::FileError& error) {
    std::cerr << "postrider: --config: " << error.what() << "\n";
    return static_cast<int>(ExitCode::unreadable);
  } catch (const CLI::ParseError& error) {
    return mistake(error);
  } catch (const std::exception& error) {
    // A value that an option's own check refused while it was read; or one given to a switch, of which
    // CLI11 tells no more than the function that failed.
    const bool is_ours = dynamic_cast<const Error*>(&error) != nullptr;
    return tell(is_ours ? error.what() : "a switch takes no value", ExitCode::usage);
  }
  try {
    const ExitCode code = action_();
    expect_printed();
    return static_cast<int>(code);
  } catch (const InvalidArgument& error) {
    return tell(spelled(error), ExitCode::usage);
  } catch (const Interrupted& error) {
    return tell(error.what(), ExitCode::interrupted);
  } catch (const OutOfMemory& error) {
    return tell(std::string(error.what()) + kLessMemory, ExitCode::internal);
  } catch (const Error& error) {
    return tell(error.what(), ExitCode::unreadable);
  } catch (const std::bad_alloc&) {
    return tell(std::string("there is not enough memory") + kLessMemory, ExitCode::internal);
  } catch (const std::exception& error) {  // also what a loaded factor throws
    return tell(error.what(), ExitCode::internal);
  }
}

}  // namespace

int run_program(int count, char** arguments) {
  // A file that would be too large is then an error of the write, which has a message.
  std::signal(SIGXFSZ, SIG_IGN);
  const TerminalGuard output(std::cout, STDOUT_FILENO), errors(std::cerr, STDERR_FILENO);
  return Program().run(count, arguments);
}

}  // namespace postrider::cli
