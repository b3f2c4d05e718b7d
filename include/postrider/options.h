// Options as data: what a field is called in each front end, what it accepts and what it is for. The
// command line, Python and the documentation are made from these rows, so that they cannot differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "postrider/export.h"

namespace postrider {

struct EstimatorOptions;

using OptionValue = std::variant<bool, std::uint64_t, double, std::string, std::vector<std::size_t>,
                                 std::vector<double>>;

struct POSTRIDER_EXPORT OptionInfo {
  // Which targets an option is for. It cannot be set where it would not be used.
  enum class Scope { all, numeric_target, classes };
  // How an error message should call an option: as the user wrote it.
  enum class Spelling { cpp, command_line, python };
  enum class Kind { flag, count, number, text, choice, counts, numbers };

  std::string_view name;               // the field's name in C++
  std::string_view command_line = {};  // such as "--max-epochs"; empty: not offered there
  std::string_view python = {};        // the parameter's name; empty: not offered there
  Kind kind = Kind::number;
  Scope scope = Scope::all;
  // Numbers, each by itself where there are several, lie in [least, most], or above `least`.
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool above_least = false;
  // 0 stands for a value that the library chooses; Python writes None.
  bool zero_chooses = false;
  std::string_view command_line_default =
      {};  // where the command line has another default, and why
  std::vector<std::string_view> choices = {};
  std::string_view help = {};  // one or two sentences

  std::string_view spelled(Spelling spelling) const;
  std::string accepted() const;  // such as "must be at least 1"
  // Throws InvalidArgument if the value is not accepted.
  void expect(const OptionValue& value, Spelling spelling = Spelling::cpp) const;
};

// Numbers as briefly as they can be read back, lists with commas, flags as yes and no.
POSTRIDER_EXPORT std::string to_string(const OptionValue& value);

// All options of Regressor, Classifier and TableModel.
POSTRIDER_EXPORT const std::vector<OptionInfo>& estimator_options();
// Throw InvalidArgument if there is no such option; set_option() also if the value is of another kind or
// not accepted.
POSTRIDER_EXPORT OptionValue get_option(const EstimatorOptions& options, std::string_view name);
POSTRIDER_EXPORT void set_option(EstimatorOptions& options, std::string_view name,
                                 const OptionValue& value,
                                 OptionInfo::Spelling spelling = OptionInfo::Spelling::cpp);
// The options as a table in Markdown.
POSTRIDER_EXPORT std::string estimator_options_page();

}  // namespace postrider
