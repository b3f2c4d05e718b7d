#include "base/option.h"

#include <gtest/gtest.h>

#include <limits>

#include "complaint.h"

namespace postrider {

enum class Colour { red, green };
template <>
struct ChoiceNames<Colour> {
  static constexpr std::array<std::pair<std::string_view, Colour>, 2> all{
      {{"red", Colour::red}, {"green", Colour::green}}};
};

namespace {

struct Settings {
  bool loud = false;
  unsigned threads = 1;
  double share = 0.5;
  std::string path;
  Colour colour = Colour::red;
  std::vector<std::size_t> widths{1};
  std::vector<double> noise;
};

std::string refusal(const OptionInfo& info, const OptionValue& value,
                    Spelling spelling = Spelling::cpp) {
  return complaint([&] { info.expect(value, spelling); });
}

const auto kShare = option_row<&Settings::share>({.name = "share",
                                                  .command_line = "--share,-s",
                                                  .python = "share_of_rows",
                                                  .least = 0,
                                                  .most = 1,
                                                  .above_least = true});
const auto kThreads = option_row<&Settings::threads>({.name = "threads", .zero_chooses = true});
const auto kColour = option_row<&Settings::colour>({.name = "colour"});
const auto kWidths = option_row<&Settings::widths>({.name = "widths", .least = 1});

TEST(Option, KindsFollowFromTypes) {
  EXPECT_EQ(option_row<&Settings::loud>({}).info.kind, OptionKind::flag);
  EXPECT_EQ(kThreads.info.kind, OptionKind::count);
  EXPECT_EQ(kShare.info.kind, OptionKind::number);
  EXPECT_EQ(option_row<&Settings::path>({}).info.kind, OptionKind::text);
  EXPECT_EQ(kColour.info.kind, OptionKind::choice);
  EXPECT_EQ(kWidths.info.kind, OptionKind::counts);
  EXPECT_EQ(option_row<&Settings::noise>({}).info.kind, OptionKind::numbers);
}

TEST(Option, WhatIsSetIsWhatIsGot) {
  Settings settings;
  kThreads.set(settings, std::uint64_t{7});
  kShare.set(settings, 0.25);
  kColour.set(settings, std::string("green"));
  kWidths.set(settings, std::vector<std::size_t>{3, 4});
  EXPECT_EQ(settings.threads, 7u);
  EXPECT_EQ(settings.share, 0.25);
  EXPECT_EQ(settings.colour, Colour::green);
  EXPECT_EQ(settings.widths, (std::vector<std::size_t>{3, 4}));
  EXPECT_EQ(kThreads.get(settings), OptionValue(std::uint64_t{7}));
  EXPECT_EQ(kColour.get(settings), OptionValue(std::string("green")));
}

TEST(Option, BordersAreAcceptedOrNot) {
  EXPECT_EQ(refusal(kShare.info, 1.0), "no complaint");
  EXPECT_EQ(refusal(kShare.info, 0.0), "share = 0: must be a number above 0 and at most 1");
  for (const double bad : {-1.0, 1.5, std::numeric_limits<double>::infinity(),
                           std::numeric_limits<double>::quiet_NaN()})
    EXPECT_NE(refusal(kShare.info, bad), "no complaint") << bad;
  EXPECT_EQ(refusal(kWidths.info, std::vector<std::size_t>{5, 0}),
            "widths = 0: must be at least 1");
}

TEST(Option, ZeroMayStandForAChoiceOfOurs) {
  EXPECT_EQ(refusal(kThreads.info, std::uint64_t{0}), "no complaint");
  EXPECT_EQ(kThreads.info.accepted(), "must be at least 1, or 0 to choose it");
}

TEST(Option, OtherKindsAreRefused) {
  EXPECT_EQ(refusal(kColour.info, std::string("blue")), "colour = \"blue\": must be red or green");
  EXPECT_NE(refusal(kColour.info, 1.0), "no complaint");
  EXPECT_NE(refusal(kThreads.info, 1.0), "no complaint");
  EXPECT_NE(refusal(kShare.info, std::uint64_t{1}), "no complaint");
}

TEST(Option, IsCalledAsItsUserWroteIt) {
  EXPECT_EQ(kShare.info.spelled(Spelling::cpp), "share");
  EXPECT_EQ(kShare.info.spelled(Spelling::command_line), "--share");
  EXPECT_EQ(kShare.info.spelled(Spelling::python), "share_of_rows");
  EXPECT_EQ(kThreads.info.spelled(Spelling::python), "threads");  // it has no other name
  EXPECT_TRUE(refusal(kShare.info, 2.0, Spelling::command_line).starts_with("--share = 2: "));
}

TEST(Option, ValuesAsText) {
  EXPECT_EQ(to_string(OptionValue(true)), "yes");
  EXPECT_EQ(to_string(OptionValue(0.1)), "0.1");
  EXPECT_EQ(to_string(OptionValue(std::vector<std::size_t>{50, 20})), "50,20");
  EXPECT_EQ(to_string(OptionValue(std::vector<double>{0.5, 1e-7})), "0.5,1e-07");
}

TEST(Option, AllFieldsOfATableAreChecked) {
  const std::vector<OptionRow<Settings>> rows{kShare, kWidths};
  Settings settings;
  expect_options(rows, settings, Spelling::cpp);
  settings.widths = {0};
  EXPECT_EQ(complaint([&] { expect_options(rows, settings, Spelling::cpp); }),
            "widths = 0: must be at least 1");
}

}  // namespace
}  // namespace postrider
