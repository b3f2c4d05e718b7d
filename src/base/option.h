// Rows of option tables: an OptionInfo with the field it stands for.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/check.h"
#include "postrider/error.h"
#include "postrider/options.h"

namespace postrider::internal {

// The names of an enumeration's values, for options that are a choice. Specialised beside the tables.
template <class E>
struct ChoiceNames;  // static constexpr std::array<std::pair<std::string_view, E>, n> all;

template <class Owner>
struct OptionRow {
  OptionInfo info;
  OptionValue (*get)(const Owner&);
  // The value must be of the option's kind and accepted.
  void (*set)(Owner&, const OptionValue&);
};

namespace option_fields {

template <class Field>
OptionValue to_option(const Field& field) {
  if constexpr (std::is_enum_v<Field>) {
    for (const auto& [name, value] : ChoiceNames<Field>::all)
      if (value == field) return std::string(name);
    fail("a choice has a name", {{"value", static_cast<double>(field)}}, __FILE__, __LINE__);
  } else if constexpr (std::is_integral_v<Field> && !std::is_same_v<Field, bool>) {
    return static_cast<std::uint64_t>(field);
  } else {
    return field;
  }
}

template <class Field>
void from_option(const OptionValue& value, Field& field) {
  if constexpr (std::is_enum_v<Field>) {
    for (const auto& [name, each] : ChoiceNames<Field>::all)
      if (name == std::get<std::string>(value)) field = each;
  } else if constexpr (std::is_integral_v<Field> && !std::is_same_v<Field, bool>) {
    field = static_cast<Field>(std::get<std::uint64_t>(value));
  } else {
    field = std::get<Field>(value);
  }
}

template <class Field>
constexpr OptionInfo::Kind kind_of() {
  if constexpr (std::is_enum_v<Field>) return OptionInfo::Kind::choice;
  if constexpr (std::is_same_v<Field, bool>) return OptionInfo::Kind::flag;
  if constexpr (std::is_integral_v<Field>) return OptionInfo::Kind::count;
  if constexpr (std::is_same_v<Field, std::string>) return OptionInfo::Kind::text;
  if constexpr (std::is_same_v<Field, std::vector<std::size_t>>) return OptionInfo::Kind::counts;
  if constexpr (std::is_same_v<Field, std::vector<double>>) return OptionInfo::Kind::numbers;
  return OptionInfo::Kind::number;
}

template <class M>
struct MemberOf;
template <class O, class F>
struct MemberOf<F O::*> {
  using Owner = O;
  using Field = F;
};

}  // namespace option_fields

// The row of one field. Kind and choices follow from its type.
template <auto kMember>
auto option_row(OptionInfo info) {
  using Owner = typename option_fields::MemberOf<decltype(kMember)>::Owner;
  using Field = typename option_fields::MemberOf<decltype(kMember)>::Field;
  info.kind = option_fields::kind_of<Field>();
  if constexpr (std::is_enum_v<Field>)
    for (const auto& [name, value] : ChoiceNames<Field>::all) info.choices.push_back(name);
  if (info.kind == OptionInfo::Kind::count && !(info.least > 0)) info.least = 0;
  return OptionRow<Owner>{
      std::move(info), [](const Owner& owner) { return option_fields::to_option(owner.*kMember); },
      [](Owner& owner, const OptionValue& value) {
        option_fields::from_option(value, owner.*kMember);
      }};
}

// The row of this name. Throws InvalidArgument, calling it what the user does, such as "setting".
template <class Owner>
const OptionRow<Owner>& row_named(const std::vector<OptionRow<Owner>>& rows, std::string_view name,
                                  std::string_view called) {
  std::string names;
  for (const OptionRow<Owner>& row : rows) {
    if (row.info.name == name) return row;
    names += (names.empty() ? "" : ", ") + std::string(row.info.name);
  }
  reject(called, name, "must be one of " + names);
}

template <class Owner>
std::vector<OptionInfo> infos_of(const std::vector<OptionRow<Owner>>& rows) {
  std::vector<OptionInfo> out;
  for (const OptionRow<Owner>& row : rows) out.push_back(row.info);
  return out;
}

// Checks every field that a table describes. Throws InvalidArgument.
template <class Owner>
void expect_options(const std::vector<OptionRow<Owner>>& rows, const Owner& owner,
                    OptionInfo::Spelling spelling) {
  for (const OptionRow<Owner>& row : rows) row.info.expect(row.get(owner), spelling);
}

}  // namespace postrider::internal
