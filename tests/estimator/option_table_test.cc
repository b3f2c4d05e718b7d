#include "estimator/option_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "complaint.h"
#include "postrider/estimator_options.h"
#include "postrider/options.h"

namespace postrider {
namespace {

// Another value that the option accepts than the one it has.
OptionValue changed(const OptionInfo& info, const OptionValue& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return !*flag;
  if (const auto* count = std::get_if<std::uint64_t>(&value))
    return std::max(*count + 1, static_cast<std::uint64_t>(info.least));
  if (const double* number = std::get_if<double>(&value)) {
    for (const double other : {0.5, 0.25, 2.0})
      if (other != *number && other >= info.least && other <= info.most) return other;
  }
  if (info.kind == OptionKind::choice)
    return std::string(info.choices[0] == std::get<std::string>(value) ? info.choices[1]
                                                                       : info.choices[0]);
  if (std::holds_alternative<std::string>(value)) return std::string("elsewhere");
  if (std::holds_alternative<std::vector<std::size_t>>(value)) return std::vector<std::size_t>{3};
  return std::vector<double>{0.75};
}

TEST(OptionTable, DefaultsAreAccepted) {
  const EstimatorOptions options;
  EXPECT_FALSE(estimator_options().empty());
  for (const OptionInfo& info : estimator_options())
    EXPECT_EQ(complaint([&] { info.expect(get_option(options, info.name)); }), "no complaint")
        << info.name;
}

// A row that reads or writes the field of another would change that one, too.
TEST(OptionTable, EachOptionIsItsOwnField) {
  const EstimatorOptions defaults;
  for (const OptionInfo& info : estimator_options()) {
    EstimatorOptions options;
    const OptionValue wanted = changed(info, get_option(options, info.name));
    set_option(options, info.name, wanted);
    EXPECT_EQ(get_option(options, info.name), wanted) << info.name;
    for (const OptionInfo& other : estimator_options())
      if (other.name != info.name) {
        EXPECT_EQ(get_option(options, other.name), get_option(defaults, other.name))
            << info.name << " changes " << other.name;
      }
  }
}

TEST(OptionTable, NamesAreUniqueInEachFrontEnd) {
  for (const Spelling spelling : {Spelling::cpp, Spelling::command_line, Spelling::python}) {
    std::set<std::string_view> seen;
    for (const OptionInfo& info : estimator_options())
      EXPECT_TRUE(seen.insert(info.spelled(spelling)).second) << info.spelled(spelling);
  }
}

TEST(OptionTable, EveryOptionHasHelpAndStandsOnThePage) {
  const std::string page = estimator_options_page();
  for (const OptionInfo& info : estimator_options()) {
    EXPECT_FALSE(info.help.empty()) << info.name;
    EXPECT_NE(page.find(info.name), std::string::npos) << info.name;
  }
}

TEST(OptionTable, UnknownNamesAreRefused) {
  EstimatorOptions options;
  EXPECT_NE(complaint([&] { get_option(options, "rate"); }), "no complaint");
  EXPECT_NE(complaint([&] { set_option(options, "rate", 0.1); }), "no complaint");
}

}  // namespace
}  // namespace postrider
