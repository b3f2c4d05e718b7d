#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/declare.h"
#include "postrider/error.h"
#include "text/text_table.h"

namespace postrider::cli {
namespace {

std::string first_word(const std::string& text) { return text.substr(0, text.find(' ')); }

std::string second_word(const std::string& text) {
  const std::size_t space = text.find(' ');
  return space == std::string::npos ? "" : text.substr(space + 1);
}

struct Word {
  std::string text, description;
};

// What may stand first; commands of two words count once.
std::vector<Word> first_words(const ProgramDescription& program) {
  std::vector<Word> out;
  for (const CommandDescription& command : program.commands) {
    const std::string word = first_word(command.name);
    if (out.empty() || out.back().text != word)
      out.push_back({word, second_word(command.name).empty() ? command.description : "factors"});
  }
  return out;
}

std::string joined(const std::vector<Word>& words) {
  std::vector<std::string> texts;
  for (const Word& word : words) texts.push_back(word.text);
  return listed(texts, " ");
}

std::string option_words(const std::vector<OptionDescription>& options) {
  std::vector<std::string> texts;
  for (const OptionDescription& option : options) {
    if (!option.short_name.empty()) texts.push_back(option.short_name);
    if (!option.long_name.empty()) texts.push_back(option.long_name);
  }
  return listed(texts, " ");
}

std::string shell_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// The script for bash; zsh understands the same through its bashcompinit.
std::string bash(const ProgramDescription& program) {
  std::string cases, pairs;
  for (const CommandDescription& command : program.commands) {
    const std::string sub = second_word(command.name);
    if (sub.empty()) {
      const bool names_shell = command.name == "completion";
      cases += fmt::format("    {}) words=\"{}{}\" ;;\n", command.name,
                           names_shell ? "bash zsh fish " : "", option_words(command.options));
      continue;
    }
    pairs +=
        fmt::format("    '{}') words=\"{}\" ;;\n", command.name, option_words(command.options));
  }
  std::vector<std::string> subs;
  for (const CommandDescription& command : program.commands)
    if (!second_word(command.name).empty()) subs.push_back(second_word(command.name));
  return fmt::format(
      "# bash completion for {0}\n"
      "_{0}() {{\n"
      "  local current=${{COMP_WORDS[COMP_CWORD]}} words=\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    words=\"{1} {2}\"\n"
      "  elif [ \"$COMP_CWORD\" -eq 2 ] && [ \"${{COMP_WORDS[1]}}\" = factor ]; then\n"
      "    words=\"{3}\"\n"
      "  else case \"${{COMP_WORDS[1]}}\" in\n{4}"
      "  esac\n"
      "  case \"${{COMP_WORDS[1]}} ${{COMP_WORDS[2]}}\" in\n{5}"
      "  esac\n"
      "  fi\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
      "  if [ ${{#COMPREPLY[@]}} -eq 0 ]; then COMPREPLY=($(compgen -f -- \"$current\")); fi\n"
      "}}\n"
      "complete -o filenames -F _{0} {0}\n",
      program.name, joined(first_words(program)), option_words(program.options), listed(subs, " "),
      cases, pairs);
}

// From a folder of functions, zsh loads it when a word is first to be completed: that word is then still
// to be completed.
std::string zsh(const ProgramDescription& program) {
  return fmt::format(
      "#compdef {0}\nautoload -U +X bashcompinit && bashcompinit\n{1}"
      "if [ \"${{funcstack[1]}}\" = _{0} ]; then _bash_complete -o filenames -F _{0}; fi\n",
      program.name, bash(program));
}

std::string fish_option(const std::string& condition, const OptionDescription& option,
                        const std::string& program) {
  std::string out = fmt::format("complete -c {}", program);
  if (!condition.empty()) out += " -n " + shell_quoted(condition);
  if (!option.short_name.empty()) out += " -s " + option.short_name.substr(1);
  if (!option.long_name.empty()) out += " -l " + option.long_name.substr(2);
  if (!option.value.empty()) out += " -r";
  return out + " -d " + shell_quoted(option.description) + "\n";
}

std::string fish(const ProgramDescription& program) {
  std::string out = fmt::format("# fish completion for {}\n", program.name);
  for (const Word& word : first_words(program))
    out += fmt::format("complete -c {} -f -n __fish_use_subcommand -a {} -d {}\n", program.name,
                       word.text, shell_quoted(word.description));
  for (const OptionDescription& option : program.options)
    out += fish_option("", option, program.name);
  for (const CommandDescription& command : program.commands) {
    const std::string first = first_word(command.name), second = second_word(command.name);
    std::string condition = "__fish_seen_subcommand_from " + first;
    if (!second.empty()) {
      out += fmt::format("complete -c {} -f -n {} -a {} -d {}\n", program.name,
                         shell_quoted(condition), second, shell_quoted(command.description));
      condition += "; and __fish_seen_subcommand_from " + second;
    }
    if (command.name == "completion")
      out += fmt::format("complete -c {} -f -n {} -a 'bash zsh fish'\n", program.name,
                         shell_quoted(condition));
    for (const OptionDescription& option : command.options)
      out += fish_option(condition, option, program.name);
  }
  return out;
}

}  // namespace

std::string completion_script(const ProgramDescription& program, const std::string& shell) {
  if (shell == "bash") return bash(program);
  if (shell == "zsh") return zsh(program);
  if (shell == "fish") return fish(program);
  reject("SHELL", shell, "must be bash, zsh or fish");
}

}  // namespace postrider::cli
