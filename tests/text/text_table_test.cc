#include "text/text_table.h"

#include <gtest/gtest.h>

namespace postrider::cli {
namespace {

TEST(TextTable, AlignsByCharactersNotBytes) {
  TextTable table({Align::left, Align::right, Align::left});
  table.add({"Größe", "1", "x"});
  table.add({"a", "100", ""});
  EXPECT_EQ(table.text(), "  Größe    1  x\n  a      100\n");
}

TEST(TextTable, ShortensWholeCharacters) {
  EXPECT_EQ(shortened("abcdef", 6), "abcdef");
  EXPECT_EQ(shortened("abcdefg", 6), "abc...");
  EXPECT_EQ(shortened("äöüäöüä", 6), "äöü...");
}

TEST(TextTable, NearestIsASlipOfTheFinger) {
  const std::vector<std::string> names{"cement", "water", "strength"};
  EXPECT_EQ(nearest("strenght", names), "strength");  // two letters exchanged
  EXPECT_EQ(nearest("wter", names), "water");         // one left out
  EXPECT_EQ(nearest("cementt", names), "cement");     // one too many
  EXPECT_EQ(nearest("price", names), "");             // another word
  EXPECT_EQ(nearest("", names), "");
  EXPECT_EQ(nearest("x", {"y"}), "");  // as many changes as letters
  EXPECT_EQ(did_you_mean("wter", names), "; did you mean water?");
  EXPECT_EQ(did_you_mean("price", names), "");
}

TEST(TextTable, Numbers) {
  EXPECT_EQ(short_number(1234.56), "1235");
  EXPECT_EQ(short_number(0.000123456), "0.0001235");
  EXPECT_EQ(exact_number(0.1), "0.1");
  EXPECT_EQ(counted(1, "row"), "1 row");
  EXPECT_EQ(counted(0, "row"), "0 rows");
}

TEST(TextTable, SecondsAreAsExactAsTheyAreLong) {
  EXPECT_EQ(seconds_text(1.26), "1.3 s");
  EXPECT_EQ(seconds_text(61), "61 s");
  EXPECT_EQ(seconds_text(600), "10 min");
  EXPECT_EQ(seconds_text(9000), "2.5 h");
}

}  // namespace
}  // namespace postrider::cli
