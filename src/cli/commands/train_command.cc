#include "cli/commands/train_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string_view>

#include "text/text_table.h"
#include "text/training_command.h"

namespace postrider::cli {
namespace {

// The file tells of these, as of all options of estimators.
constexpr std::array<std::string_view, 7> kTold{"target",     "ignore",     "na",    "missing",
                                                "indicators", "no-profile", "stream"};
// The model does not depend on these, or by what the file tells: how much memory there is becomes a store budget.
constexpr std::array<std::string_view, 10> kWithoutEffect{
    "output", "force",       "out-of-fold", "key",   "deadline",
    "memory", "time-budget", "dry-run",     "quiet", "json"};

bool is_of_estimators(const std::string& name) {
  return std::ranges::any_of(estimator_options(), [&](const OptionInfo& info) {
    const std::string flags = std::string(info.command_line) + ",";
    return flags.find("--" + name + ",") != std::string::npos;
  });
}

bool is_kept(const CLI::Option& option) {
  if (option.count() == 0 || option.get_lnames().empty()) return false;
  const std::string& name = option.get_lnames().front();
  return name != "help" && std::ranges::find(kTold, name) == kTold.end() &&
         std::ranges::find(kWithoutEffect, name) == kWithoutEffect.end() && !is_of_estimators(name);
}

}  // namespace

GivenOptions options_to_keep(const CLI::App& train) {
  GivenOptions out;
  for (const CLI::Option* option : train.get_options()) {
    if (!is_kept(*option)) continue;
    const std::string name = "--" + option->get_lnames().front();
    const std::string value = listed(option->results(), ",");
    const bool is_flag = option->get_items_expected_max() == 0;
    if (is_flag ? value == "true" : value != option->get_default_str())
      out[name] = is_flag ? "" : value;
  }
  return out;
}

std::vector<std::string> words_of(const GivenOptions& given) {
  std::vector<std::string> out;
  for (const auto& [name, value] : given)
    if (value.empty())
      out.push_back(name);
    else
      add_option_words(name, value, out);
  return out;
}

}  // namespace postrider::cli
