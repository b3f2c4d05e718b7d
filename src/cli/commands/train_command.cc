#include "cli/commands/train_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string_view>

#include "text/text_table.h"

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

std::string quoted(const std::string& word) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:%@";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// A value that begins with a dash must not be taken for an option.
void add_option(const std::string& name, const std::string& value, std::vector<std::string>& to) {
  if (value.starts_with('-')) {
    to.push_back(name + "=" + value);
  } else {
    to.push_back(name);
    to.push_back(value);
  }
}

// A flag may have a name for each of its two values: the one that says this value.
std::string flag_for(const OptionInfo& info, bool value) {
  const std::string_view flags = info.command_line;
  const std::size_t no = flags.find('!');
  if (value) return std::string(flags.substr(0, flags.find(',')));
  return no == std::string_view::npos ? "" : std::string(flags.substr(no + 1));
}

void add_estimator_options(const EstimatorOptions& options, std::vector<std::string>& to) {
  constexpr std::array<std::string_view, 5> kOfARun{"threads", "classes", "checkpoint",
                                                    "checkpoint_every", "resume"};
  const EstimatorOptions defaults;
  for (const OptionInfo& info : estimator_options()) {
    if (info.command_line.empty() || std::ranges::find(kOfARun, info.name) != kOfARun.end())
      continue;
    const OptionValue value = get_option(options, info.name);
    if (value == get_option(defaults, info.name)) continue;
    if (info.kind == OptionKind::flag)
      to.push_back(flag_for(info, std::get<bool>(value)));
    else
      add_option(std::string(info.command_line.substr(info.command_line.rfind(',') + 1)),
                 to_string(value), to);
  }
}

void add_columns(const TableModel& model, std::vector<std::string>& to) {
  std::vector<std::string> ignored;
  for (const ColumnSchema& column : model.schema().columns)
    if (column.kind == ColumnKind::ignored && column.note == "asked for")
      ignored.push_back(column.name);
  if (!ignored.empty()) add_option("--ignore", listed(ignored, ","), to);
  if (!model.schema().na.empty()) add_option("--na", listed(model.schema().na, ","), to);
  if (model.missing() == MissingInputs::mean) add_option("--missing", "mean", to);
  if (model.indicators()) to.emplace_back("--indicators");
  if (model.profile().is_empty()) to.emplace_back("--no-profile");
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
      add_option(name, value, out);
  return out;
}

std::string command_of(const TableModel& model) {
  std::vector<std::string> words;
  add_option("--target", model.target(), words);
  add_estimator_options(model.estimator().options(), words);
  add_columns(model, words);
  if (!model.history().empty()) {
    const TrainingStep& first = model.history().front();
    if (first.kind == TrainingKind::stream) words.emplace_back("--stream");
    words.insert(words.end(), first.words.begin(), first.words.end());
  }
  std::string out = "postrider train TRAINING.csv";
  for (const std::string& word : words) out += " " + quoted(word);
  return out;
}

}  // namespace postrider::cli
