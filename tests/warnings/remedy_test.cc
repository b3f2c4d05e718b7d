#include <gtest/gtest.h>

#include "postrider/table_warnings.h"

namespace postrider {
namespace {

using Kind = TableWarning::Kind;
using Spelling = OptionInfo::Spelling;

TEST(Remedy, IsAnOptionAsItsUserWritesIt) {
  const TableWarning leak{Kind::leak, "net price", "", {"net price"}};
  EXPECT_EQ(leak.remedy(Spelling::command_line), "--ignore 'net price' leaves it out.");
  EXPECT_EQ(leak.remedy(Spelling::python), "ignored=[\"net price\"] leaves it out.");
  EXPECT_EQ(leak.remedy(Spelling::cpp), "TableOptions::ignored = {\"net price\"} leaves it out.");
}

TEST(Remedy, KeepsQuotesApart) {
  const TableWarning leak{Kind::leak, "it's \"x\"", "", {}};
  EXPECT_EQ(leak.remedy(Spelling::command_line), "--ignore 'it'\\''s \"x\"' leaves it out.");
  EXPECT_EQ(leak.remedy(Spelling::python), "ignored=[\"it's \\\"x\\\"\"] leaves it out.");
}

TEST(Remedy, IsThereForEveryKind) {
  for (const Kind kind : {Kind::leak, Kind::identifier, Kind::copies, Kind::sentinel, Kind::dates,
                          Kind::spelling, Kind::target, Kind::imbalance, Kind::few_rows,
                          Kind::learned_rows, Kind::coverage, Kind::disagreement})
    for (const Spelling spelling : {Spelling::command_line, Spelling::python, Spelling::cpp}) {
      const std::string text = TableWarning{kind, "a", "", {"a"}}.remedy(spelling);
      EXPECT_EQ(text.back(), '.') << to_string(kind);
      // What a file may say.
      EXPECT_NO_THROW((TableWarning{kind, "", "", {}}.remedy(spelling))) << to_string(kind);
    }
}

}  // namespace
}  // namespace postrider
