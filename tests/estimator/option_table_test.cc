#include "estimator/option_table.h"

#include <gtest/gtest.h>

#include <set>

#include "complaint.h"

namespace postrider {
using namespace internal;
namespace {

TEST(OptionTable, EveryRowIsWhole) {
  std::set<std::string_view> names, flags, parameters;
  for (const OptionInfo& info : estimator_options()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name << " is there twice";
    EXPECT_TRUE(info.command_line.empty() || flags.insert(info.command_line).second);
    EXPECT_TRUE(info.python.empty() || parameters.insert(info.python).second);
    EXPECT_TRUE(info.help.ends_with('.')) << info.name;
    EXPECT_EQ(complaint([&] { info.expect(get_option({}, info.name)); }), "no complaint")
        << "the default of " << info.name;
  }
  EXPECT_GE(names.size(), 25U);
}

// Text, as a model file has it, and back.
TEST(OptionTable, ValuesAreReadBackFromTheirText) {
  EstimatorOptions options{
      .hidden = {7, 3}, .power = 3.25, .activation = network::Activation::relu};
  options.training.noise_variance = {0.1, 0.25};
  options.training.shuffle = TrainerOptions::Shuffle::every_epoch;
  options.training.learn_noise = false;
  options.training.seed = 18446744073709551615U;
  EstimatorOptions read;
  for (const EstimatorOptionRow& row : estimator_option_rows())
    row.set(read, parsed_option(row.info, to_string(row.get(options))));
  for (const EstimatorOptionRow& row : estimator_option_rows())
    EXPECT_EQ(row.get(read), row.get(options)) << row.info.name;
  for (const auto& [name, text] : {std::pair{"max_epochs", "4x"},
                                   {"max_epochs", "-1"},
                                   {"learn_noise", "true"},
                                   {"hidden", "3,,4"},
                                   {"power", "two"}})
    EXPECT_NE(complaint([&, name = name, text = text] {
                for (const OptionInfo& info : estimator_options())
                  if (info.name == name) parsed_option(info, text);
              }),
              "no complaint")
        << name << " " << text;
}

TEST(OptionTable, OptionsAreSetByName) {
  EstimatorOptions options;
  set_option(options, "damping", 0.5);
  EXPECT_EQ(options.training.damping, 0.5);
  set_option(options, "ensemble_size", std::uint64_t{3});
  EXPECT_EQ(options.ensemble_size, 3U);
  EXPECT_EQ(
      complaint([&] { set_option(options, "damping", 2.0, OptionInfo::Spelling::command_line); }),
      "--damping = 2: must be a number of at least 0 and at most 0.999");
  EXPECT_EQ(complaint([&] {
              set_option(options, "members", std::uint64_t{3});
            }).find("option = \"members\": must be one of hidden, "),
            0U);
}

TEST(OptionTable, WhatWouldNotBeUsedIsRefused) {
  EstimatorOptions of_classes{.calibration_share = 0.1}, of_numbers{.varying_noise = false};
  EXPECT_EQ(complaint([&] { of_classes.validate_for(OptionInfo::Scope::classes); }),
            "no complaint");
  EXPECT_EQ(complaint([&] { of_numbers.validate_for(OptionInfo::Scope::numeric_target); }),
            "no complaint");
  EXPECT_EQ(complaint([&] { of_classes.validate_for(OptionInfo::Scope::numeric_target); }),
            "calibration_share = 0.1: is for targets that are classes, and would not be used here");
  EXPECT_EQ(complaint([&] {
              of_numbers.validate_for(OptionInfo::Scope::classes,
                                      OptionInfo::Spelling::command_line);
            }),
            "--varying-noise = no: is for numeric targets, and would not be used here");
}

TEST(OptionTable, ThePageHasARowForEachOption) {
  const std::string page = estimator_options_page();
  for (const OptionInfo& info : estimator_options())
    EXPECT_NE(page.find("| `" + std::string(info.name) + "` |"), std::string::npos);
}

}  // namespace
}  // namespace postrider
