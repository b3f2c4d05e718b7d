#include "text/training_command.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <variant>

#include "text/text_table.h"

namespace postrider::cli {
namespace {

std::string quoted(const std::string& word) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:%@";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
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
      add_option_words(std::string(info.command_line.substr(info.command_line.rfind(',') + 1)),
                       to_string(value), to);
  }
}

void add_columns(const TableModel& model, std::vector<std::string>& to) {
  std::vector<std::string> ignored;
  for (const ColumnSchema& column : model.schema().columns)
    if (column.kind == ColumnKind::ignored && column.note == "asked for")
      ignored.push_back(column.name);
  if (!ignored.empty()) add_option_words("--ignore", listed(ignored, ","), to);
  if (!model.schema().na.empty()) add_option_words("--na", listed(model.schema().na, ","), to);
  if (model.missing() == MissingInputs::mean) add_option_words("--missing", "mean", to);
  if (model.indicators()) to.emplace_back("--indicators");
  if (model.profile().is_empty()) to.emplace_back("--no-profile");
}

}  // namespace

void add_option_words(const std::string& name, const std::string& value,
                      std::vector<std::string>& to) {
  if (value.starts_with('-')) {
    to.push_back(name + "=" + value);
  } else {
    to.push_back(name);
    to.push_back(value);
  }
}

std::string training_command(const TableModel& model) {
  std::vector<std::string> words;
  add_option_words("--target", model.target(), words);
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
