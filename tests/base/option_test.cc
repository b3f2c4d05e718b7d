#include "base/option.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "complaint.h"

namespace postrider {
using namespace internal;

enum class Colour { red, green };
namespace internal {
template <>
struct ChoiceNames<Colour> {
  static constexpr std::array<std::pair<std::string_view, Colour>, 2> all{
      {{"red", Colour::red}, {"green", Colour::green}}};
};
}  // namespace internal

namespace {

struct Paint {
  std::size_t coats = 2;
  double share = 0.5;
  bool dry = false;
  Colour colour = Colour::red;
  std::string name = "wall";
  std::vector<std::size_t> layers{1, 2};
  std::vector<double> tints{0.25};
  unsigned pots = 0;
};

const std::vector<OptionRow<Paint>>& rows() {
  static const std::vector<OptionRow<Paint>> all{
      option_row<&Paint::coats>(
          {.name = "coats", .command_line = "--coats,-c", .python = "n_coats", .least = 1}),
      option_row<&Paint::share>({.name = "share", .least = 0, .most = 1, .above_least = true}),
      option_row<&Paint::dry>({.name = "dry"}),
      option_row<&Paint::colour>({.name = "colour"}),
      option_row<&Paint::name>({.name = "name"}),
      option_row<&Paint::layers>({.name = "layers", .least = 1}),
      option_row<&Paint::tints>({.name = "tints", .least = 0}),
      option_row<&Paint::pots>({.name = "pots", .most = 9, .zero_chooses = true})};
  return all;
}

std::string complaint_of(void (*change)(Paint&),
                         OptionInfo::Spelling spelling = OptionInfo::Spelling::cpp) {
  Paint paint;
  change(paint);
  return complaint([&] { expect_options(rows(), paint, spelling); });
}

TEST(Option, FieldsAreReadAndWrittenByTheirRows) {
  const std::vector<OptionValue> values{std::uint64_t{7},
                                        0.75,
                                        true,
                                        std::string("green"),
                                        std::string("door"),
                                        std::vector<std::size_t>{3},
                                        std::vector<double>{1.5, 2.5},
                                        std::uint64_t{4}};
  Paint paint;
  for (std::size_t i = 0; i < values.size(); ++i) {
    rows()[i].info.expect(values[i]);
    rows()[i].set(paint, values[i]);
    EXPECT_EQ(rows()[i].get(paint), values[i]) << rows()[i].info.name;
  }
  EXPECT_EQ(paint.coats, 7U);
  EXPECT_EQ(paint.share, 0.75);
  EXPECT_TRUE(paint.dry);
  EXPECT_EQ(paint.colour, Colour::green);
  EXPECT_EQ(paint.name, "door");
  EXPECT_EQ(paint.layers, std::vector<std::size_t>{3});
  EXPECT_EQ(paint.tints, (std::vector<double>{1.5, 2.5}));
  EXPECT_EQ(paint.pots, 4U);
}

TEST(Option, AZeroThatChoosesStandsAlone) {
  const OptionInfo info{
      .name = "layers", .kind = OptionInfo::Kind::counts, .least = 1, .zero_chooses = true};
  using Layers = std::vector<std::size_t>;
  EXPECT_NO_THROW(info.expect(Layers{0}));
  EXPECT_NO_THROW(info.expect(Layers{2, 3}));
  EXPECT_THROW(info.expect(Layers{0, 3}), InvalidArgument);
  EXPECT_THROW(info.expect(Layers{0, 0}), InvalidArgument);
}

TEST(Option, TheKindFollowsFromTheField) {
  const std::vector<OptionInfo::Kind> expected{OptionInfo::Kind::count,   OptionInfo::Kind::number,
                                               OptionInfo::Kind::flag,    OptionInfo::Kind::choice,
                                               OptionInfo::Kind::text,    OptionInfo::Kind::counts,
                                               OptionInfo::Kind::numbers, OptionInfo::Kind::count};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(rows()[i].info.kind, expected[i]);
  EXPECT_EQ(rows()[3].info.choices, (std::vector<std::string_view>{"red", "green"}));
}

TEST(Option, WhatIsNotAcceptedIsSaidAsTheUserWroteIt) {
  EXPECT_EQ(complaint_of([](Paint&) {}), "no complaint");
  const auto no_coats = [](Paint& p) { p.coats = 0; };
  EXPECT_EQ(complaint_of(no_coats), "coats = 0: must be at least 1");
  EXPECT_EQ(complaint_of(no_coats, OptionInfo::Spelling::command_line),
            "--coats = 0: must be at least 1");
  EXPECT_EQ(complaint_of(no_coats, OptionInfo::Spelling::python),
            "n_coats = 0: must be at least 1");
  EXPECT_EQ(complaint_of([](Paint& p) { p.share = 0; }),
            "share = 0: must be a number above 0 and at most 1");
  EXPECT_EQ(complaint_of([](Paint& p) { p.share = std::nan(""); }),
            "share = nan: must be a number above 0 and at most 1");
  EXPECT_EQ(complaint_of([](Paint& p) { p.share = 1.5; }, OptionInfo::Spelling::python),
            "share = 1.5: must be a number above 0 and at most 1");
  EXPECT_EQ(complaint_of([](Paint& p) { p.layers = {2, 0}; }), "layers = 0: must be at least 1");
  EXPECT_EQ(complaint_of([](Paint& p) { p.tints = {-1}; }),
            "tints = -1: must be numbers of at least 0");
  EXPECT_EQ(complaint_of([](Paint& p) { p.tints = {std::numeric_limits<double>::infinity()}; }),
            "tints = inf: must be numbers of at least 0");
  EXPECT_EQ(complaint_of([](Paint& p) { p.pots = 0; }), "no complaint");
  EXPECT_EQ(complaint_of([](Paint& p) { p.pots = 10; }),
            "pots = 10: must be at least 1 and at most 9, or 0 to choose it");
}

TEST(Option, ValuesOfAnotherKindAreRefused) {
  EXPECT_EQ(complaint([] { rows()[0].info.expect(2.0); }), "coats = 2: must be at least 1");
  EXPECT_EQ(complaint([] { rows()[3].info.expect(std::string("blue")); }),
            "colour = \"blue\": must be red or green");
  EXPECT_EQ(complaint([] { rows()[2].info.expect(std::uint64_t{1}); }),
            "dry = 1: must be yes or no");
}

TEST(Option, ValuesHaveAText) {
  EXPECT_EQ(to_string(OptionValue(true)), "yes");
  EXPECT_EQ(to_string(OptionValue(0.1)), "0.1");
  EXPECT_EQ(to_string(OptionValue(std::uint64_t{12})), "12");
  EXPECT_EQ(to_string(OptionValue(std::vector<std::size_t>{50, 20})), "50,20");
  EXPECT_EQ(to_string(OptionValue(std::vector<double>{})), "");
  EXPECT_EQ(to_string(OptionValue(std::vector<double>{0.5, 1e-9})), "0.5,1e-09");
}

}  // namespace
}  // namespace postrider
