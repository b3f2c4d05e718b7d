#include <iterator>
#include <set>
#include <sstream>
#include <string>

#include "cli/declared_commands.h"

namespace postrider::cli {
namespace {

std::string trimmed(const std::string& text) {
  constexpr const char* kBlank = " \t\r\"'";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

// The key of a line; empty if it has none.
std::string key_of(const std::string& line) {
  const std::string text = trimmed(line);
  const std::size_t equals = line.find('=');
  if (text.empty() || text[0] == '#' || text[0] == '[' || equals == std::string::npos) return "";
  return trimmed(line.substr(0, equals));
}

void expect_keys_once(const std::string& text) {
  std::istringstream lines(text);
  std::string section;
  std::set<std::string> seen;
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (trimmed(line).starts_with('[')) section = trimmed(line);
    const std::string key = key_of(line);
    if (!key.empty() && !seen.insert(section + key).second)
      throw CLI::ConfigError("line " + std::to_string(number) + ": " + key +
                             " stands twice; a list is written as [a, b]");
  }
}

void expect_command(const CLI::App& app, const CLI::ConfigItem& item) {
  if (item.parents.empty()) return;
  std::string names;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == item.parents.front()) return;
    names += (names.empty() ? "" : ", ") + command->get_name();
  }
  throw CLI::ConfigError("[" + item.parents.front() + "] is no command: must be one of " + names);
}

}  // namespace

std::vector<CLI::ConfigItem> StrictConfig::from_config(std::istream& input) const {
  const std::string text(std::istreambuf_iterator<char>(input), {});
  expect_keys_once(text);
  std::istringstream again(text);
  std::vector<CLI::ConfigItem> out = CLI::ConfigTOML::from_config(again);
  for (const CLI::ConfigItem& item : out) expect_command(app_, item);
  return out;
}

}  // namespace postrider::cli
