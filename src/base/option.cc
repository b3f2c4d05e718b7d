#include "base/option.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/number_text.h"
#include "postrider/error.h"

namespace postrider {
using namespace internal;
namespace {

template <class V>
std::string joined(const std::vector<V>& values) {
  std::string out;
  for (const V& value : values) {
    if (!out.empty()) out += ',';
    if constexpr (std::is_same_v<V, double>)
      out += shortest_text(value);
    else
      out += std::to_string(value);
  }
  return out;
}

// "a, b or c".
std::string listed(const std::vector<std::string_view>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += i + 1 == names.size() ? " or " : ", ";
    out += names[i];
  }
  return out;
}

OptionInfo::Kind kind_of(const OptionValue& value) {
  constexpr std::array kKinds{OptionInfo::Kind::flag,   OptionInfo::Kind::count,
                              OptionInfo::Kind::number, OptionInfo::Kind::text,
                              OptionInfo::Kind::counts, OptionInfo::Kind::numbers};
  return kKinds[value.index()];
}

[[noreturn]] void refuse(const OptionInfo& info, const OptionValue& value,
                         OptionInfo::Spelling spelling) {
  const std::string_view name = info.spelled(spelling);
  if (const auto* text = std::get_if<std::string>(&value)) reject(name, *text, info.accepted());
  if (const auto* number = std::get_if<double>(&value)) reject(name, *number, info.accepted());
  detail::reject_verbatim(name, to_string(value), info.accepted());
}

}  // namespace

std::string to_string(const OptionValue& value) {
  struct Shown {
    std::string operator()(bool flag) const { return flag ? "yes" : "no"; }
    std::string operator()(std::uint64_t count) const { return std::to_string(count); }
    std::string operator()(double number) const { return shortest_text(number); }
    std::string operator()(const std::string& text) const { return text; }
    std::string operator()(const std::vector<std::size_t>& counts) const { return joined(counts); }
    std::string operator()(const std::vector<double>& numbers) const { return joined(numbers); }
  };
  return std::visit(Shown{}, value);
}

std::string_view OptionInfo::spelled(OptionInfo::Spelling spelling) const {
  if (spelling == OptionInfo::Spelling::command_line && !command_line.empty()) {
    const std::string_view first = command_line.substr(0, command_line.find(','));
    return first;
  }
  if (spelling == OptionInfo::Spelling::python && !python.empty()) return python;
  return name;
}

std::string OptionInfo::accepted() const {
  const bool several = kind == OptionInfo::Kind::counts || kind == OptionInfo::Kind::numbers;
  switch (kind) {
    case OptionInfo::Kind::flag:
      return "must be yes or no";
    case OptionInfo::Kind::text:
      return "must be text";
    case OptionInfo::Kind::choice:
      return "must be " + listed(choices);
    default:
      break;
  }
  const bool whole = kind == OptionInfo::Kind::count || kind == OptionInfo::Kind::counts;
  // A count says itself that it is a whole number.
  std::string out = several && !whole ? "must be numbers" : whole ? "must be" : "must be a number";
  const double lowest = zero_chooses && whole ? std::max(1.0, least) : least;
  const bool has_least = std::isfinite(lowest), has_most = std::isfinite(most);
  if (has_least)
    out += (above_least ? " above "
            : whole     ? " at least "
                        : " of at least ") +
           shortest_text(lowest);
  if (has_most) out += (has_least ? " and at most " : " of at most ") + shortest_text(most);
  if (zero_chooses) out += several ? ", or 0 alone to choose them" : ", or 0 to choose it";
  return out;
}

void OptionInfo::expect(const OptionValue& value, OptionInfo::Spelling spelling) const {
  const auto fits = [&](double number) {
    if (zero_chooses && number == 0) return true;
    return (above_least ? number > least : number >= least) && number <= most &&
           !std::isinf(number);
  };
  const OptionInfo::Kind given = kind_of(value);
  bool is_fine =
      given == kind || (kind == OptionInfo::Kind::choice && given == OptionInfo::Kind::text);
  if (is_fine && kind == OptionInfo::Kind::choice)
    is_fine = std::ranges::find(choices, std::get<std::string>(value)) != choices.end();
  if (is_fine && kind == OptionInfo::Kind::count)
    is_fine = fits(static_cast<double>(std::get<std::uint64_t>(value)));
  if (is_fine && kind == OptionInfo::Kind::number) is_fine = fits(std::get<double>(value));
  if (is_fine && kind == OptionInfo::Kind::counts)
    for (const auto& all = std::get<std::vector<std::size_t>>(value); const std::size_t each : all)
      // A 0 among others would be a width, not a choice.
      if (!fits(static_cast<double>(each)) || (each == 0 && zero_chooses && all.size() > 1))
        refuse(*this, std::uint64_t{each}, spelling);
  if (is_fine && kind == OptionInfo::Kind::numbers)
    for (const double each : std::get<std::vector<double>>(value))
      if (!fits(each)) refuse(*this, each, spelling);
  if (!is_fine) refuse(*this, value, spelling);
}

}  // namespace postrider
