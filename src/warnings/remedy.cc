// What to do about a warning, as users of the command line, of Python and of C++ write it.
#include <algorithm>

#include "postrider/table_warnings.h"

namespace postrider {
namespace {

using Spelling = OptionInfo::Spelling;

// Warnings may come from a file, which can lack them.
std::string first_value(const TableWarning& warning) {
  return warning.values.empty() ? std::string() : warning.values.front();
}
std::string last_value(const TableWarning& warning) {
  return warning.values.empty() ? std::string() : warning.values.back();
}

// For a shell.
std::string shell_word(const std::string& text) {
  constexpr std::string_view kPlain = "_-./:+@%=,";
  const auto is_plain = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kPlain.find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::ranges::all_of(text, is_plain)) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// For Python and C++.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

// An option with a list of names or cells.
std::string listed_option(Spelling spelling, const char* command_line, const char* field,
                          const std::string& value) {
  if (spelling == Spelling::command_line)
    return std::string(command_line) + " " + shell_word(value);
  if (spelling == Spelling::python) return std::string(field) + "=[" + quoted(value) + "]";
  return std::string("TableOptions::") + field + " = {" + quoted(value) + "}";
}

std::string ignoring(Spelling spelling, const std::string& column) {
  return listed_option(spelling, "--ignore", "ignored", column);
}

std::string together(Spelling spelling, const char* how, const std::string& column) {
  const std::string option = how;
  if (spelling == Spelling::command_line) return "--" + option + " " + shell_word(column);
  if (spelling == Spelling::python)
    return (option == "group" ? "groups=" : "time=") + quoted(column);
  return "the groups of TableModel::train";
}

std::string frame_column(const std::string& column) { return "frame[" + quoted(column) + "]"; }

std::string classifying(Spelling spelling) {
  if (spelling == Spelling::command_line) return "--classify";
  return spelling == Spelling::python ? "classify=True" : "TableOptions::classify";
}

std::string of_identifier(Spelling spelling, const TableWarning& warning) {
  const std::string& column = warning.column;
  if (last_value(warning) == "group")
    return together(spelling, "group", column) +
           " leaves such rows out together, so that the score is that of new ones; " +
           ignoring(spelling, column) + " does without.";
  return ignoring(spelling, column) +
         " leaves it out; if it tells when a row came, predict a later time than was learned: " +
         together(spelling, "time", column) + ".";
}

std::string of_target(Spelling spelling, const TableWarning& warning) {
  const std::string how = last_value(warning);
  if (how == "few") return classifying(spelling) + " learns them as classes.";
  if (how == "multiples")
    return "Round what is predicted, or learn the multiples as classes with " +
           classifying(spelling) + ".";
  const std::string shape = spelling == Spelling::command_line ? "--learned-shape"
                            : spelling == Spelling::python     ? "learned_shape=True"
                                                               : "EstimatorOptions::learned_shape";
  return "Learn whether it is " + first_value(warning) +
         " as a class of its own and the others as an amount; from 2,000 rows on " + shape +
         " learns such a peak.";
}

std::string of_imbalance(Spelling spelling) {
  const std::string weights = spelling == Spelling::command_line ? "--class-weights balanced"
                              : spelling == Spelling::python
                                  ? "class_weight=\"balanced\""
                                  : "TableModelOptions::class_weights.balanced";
  return "Judge it by average precision and log-loss; " + weights +
         " counts all classes alike, where missing a rare one is worse than a false alarm.";
}

std::string of_few_rows(Spelling spelling, const TableWarning& warning) {
  const std::string level = spelling == Spelling::command_line ? "--level"
                            : spelling == Spelling::python     ? "coverage="
                                                               : "a level";
  return "Take " + first_value(warning) + " rows or more, or ask for less with " + level +
         (spelling == Spelling::python ? "0.8." : " of 0.8.");
}

std::string of_coverage(Spelling spelling, const TableWarning& warning) {
  const std::string level = first_value(warning);
  if (level.empty()) return "Learn more rows of this group, or a model of its own for it.";
  return "Learn more rows of this group; until then ask for intervals of " +
         (spelling == Spelling::python ? "coverage=" + level : "--level " + level) +
         " where these rows are predicted.";
}

std::string of_disagreement(Spelling spelling) {
  return "If rows belong together or change over time, say so when the model is trained (" +
         together(spelling, "group", "COLUMN") +
         (spelling == Spelling::cpp ? "" : " or " + together(spelling, "time", "COLUMN")) +
         "): then its score is that of new rows. Train anew with rows like these.";
}

std::string of_learned_rows(Spelling spelling) {
  return spelling == Spelling::command_line
             ? "Evaluate rows that were not learned: train --validation 0.2 holds some back, and "
               "train --folds 5 predicts each row without having learned it."
             : "Evaluate rows that were not learned, such as those of cross_validate.";
}

}  // namespace

std::string TableWarning::remedy(OptionInfo::Spelling spelling) const {
  switch (kind) {
    case Kind::leak:
      return ignoring(spelling, column) + " leaves it out.";
    case Kind::identifier:
      return of_identifier(spelling, *this);
    case Kind::copies:
      if (values.empty())
        return "Remove those that are no observations of their own, such as by `sort -u` or "
               "drop_duplicates().";
      return together(spelling, "group", "COLUMN") +
             " keeps rows together of which a column says that they are one.";
    case Kind::sentinel:
      return listed_option(spelling, "--na", "na", first_value(*this)) +
             " reads it as missing, in every column.";
    case Kind::dates:
      return "Write them as 2024-10-24, such as by " + frame_column(column) +
             " = pandas.to_datetime(" + frame_column(column) + ").";
    case Kind::spelling:
      return "Write each in one way, such as by " + frame_column(column) + " = " +
             frame_column(column) + ".str.strip().str.lower().";
    case Kind::target:
      return of_target(spelling, *this);
    case Kind::imbalance:
      return of_imbalance(spelling);
    case Kind::few_rows:
      return of_few_rows(spelling, *this);
    case Kind::learned_rows:
      return of_learned_rows(spelling);
    case Kind::coverage:
      return of_coverage(spelling, *this);
    case Kind::disagreement:
      break;
  }
  return of_disagreement(spelling);
}

std::string_view to_string(TableWarning::Kind kind) {
  switch (kind) {
    case TableWarning::Kind::leak:
      return "leak";
    case TableWarning::Kind::identifier:
      return "identifier";
    case TableWarning::Kind::copies:
      return "copies";
    case TableWarning::Kind::sentinel:
      return "sentinel";
    case TableWarning::Kind::dates:
      return "dates";
    case TableWarning::Kind::spelling:
      return "spelling";
    case TableWarning::Kind::target:
      return "target";
    case TableWarning::Kind::imbalance:
      return "imbalance";
    case TableWarning::Kind::few_rows:
      return "few_rows";
    case TableWarning::Kind::learned_rows:
      return "learned_rows";
    case TableWarning::Kind::coverage:
      return "coverage";
    case TableWarning::Kind::disagreement:
      break;
  }
  return "disagreement";
}

}  // namespace postrider
