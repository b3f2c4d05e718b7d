#include "data/schema.h"

#include <gtest/gtest.h>

#include "complaint.h"

namespace postrider {
namespace {

Texts texts_of(const std::vector<std::string>& cells) {
  Texts out;
  for (const std::string& cell : cells) out.add(cell);
  return out;
}

// As if the table had this column and one more.
ColumnSchema infer(const std::vector<std::string>& cells, const TableOptions& options = {}) {
  const std::vector<std::string> names{"x", "other"};
  const SchemaRules rules(options, names);
  return rules.decide("x", summary_of(texts_of(cells), rules.wants_categories("x")));
}

std::vector<std::string> counted(const std::string& begin, std::size_t count) {
  std::vector<std::string> out;
  for (std::size_t k = 0; k < count; ++k) out.push_back(begin + std::to_string(k));
  return out;
}

TEST(Schema, NumbersAreNumericAndTextsAreCategories) {
  const ColumnSchema numbers = infer({"1", "2.5", "-3e4", "NA"});
  EXPECT_EQ(numbers.kind, ColumnKind::numeric);
  EXPECT_TRUE(numbers.has_missing);
  EXPECT_TRUE(numbers.categories.empty());
  const ColumnSchema texts = infer({"red", "blue", "red"});
  EXPECT_EQ(texts.kind, ColumnKind::categorical);
  EXPECT_FALSE(texts.has_missing);
  EXPECT_EQ(texts.categories, (std::vector<std::string>{"blue", "red"}));
  const ColumnSchema mixed = infer({"1", "2", "2", "many"});
  EXPECT_EQ(mixed.kind, ColumnKind::categorical);
  EXPECT_EQ(mixed.note, "3 of 4 cells are numbers, and \"many\" is not");
}

TEST(Schema, DecimalCommasAreRefused) {
  const std::vector<std::string> cells{"95,65", "12", "", "-1,5e3"};
  EXPECT_EQ(
      complaint([&] { infer(cells); }),
      "column = \"x\": must have decimal points: \"95,65\" looks like a number with a decimal "
      "comma. If it is none, say that the column is categorical");
  EXPECT_NE(complaint([&] { infer(cells, {.target = "x"}); }), "no complaint");
  EXPECT_EQ(infer(cells, {.categorical = {"x"}}).kind, ColumnKind::categorical);
  EXPECT_EQ(infer(cells, {.ignored = {"x"}}).kind, ColumnKind::ignored);
  EXPECT_EQ(infer({"1,2,3", "4,5,6", "4,5,6"}).kind, ColumnKind::categorical);
  EXPECT_EQ(infer({"12", "7"}, {.categorical = {"x"}}).kind, ColumnKind::categorical);
  EXPECT_EQ(infer({"1,2", "b", "b"}).kind, ColumnKind::categorical);
}

TEST(Schema, WhatTellsNothingIsIgnoredWithAReason) {
  EXPECT_EQ(infer({"5", "5.0", "5"}).note, "constant");
  EXPECT_EQ(infer({"a", "a"}).kind, ColumnKind::ignored);
  EXPECT_EQ(infer({"", "NA"}).note, "no cell has a value");
  // That it is missing may tell something.
  EXPECT_EQ(infer({"5", "", "5"}).kind, ColumnKind::numeric);
  EXPECT_EQ(infer({"a", "", "a"}).kind, ColumnKind::categorical);
  const ColumnSchema identifier = infer(counted("row", 30));
  EXPECT_EQ(identifier.kind, ColumnKind::ignored);
  EXPECT_EQ(identifier.note, "an identifier: 30 different texts in 30 cells");
  EXPECT_EQ(infer(counted("row", 5)).kind, ColumnKind::categorical);
  EXPECT_EQ(infer(counted("", 30)).kind, ColumnKind::numeric);
  std::vector<std::string> many = counted("word", 250), twice = many;
  many.insert(many.end(), twice.begin(), twice.end());
  EXPECT_EQ(infer(many).note, "250 different texts, more than 200 categories");
  EXPECT_EQ(infer(many, {.most_categories = 250}).kind, ColumnKind::categorical);
}

TEST(Schema, TheUserOverrules) {
  EXPECT_EQ(infer({"10", "9", "10"}, {.categorical = {"x"}}).categories,
            (std::vector<std::string>{"9", "10"}));
  EXPECT_EQ(infer(counted("row", 30), {.categorical = {"x"}}).categories.size(), 30u);
  EXPECT_EQ(infer({"a", "b"}, {.numeric = {"x"}}).kind, ColumnKind::numeric);
  EXPECT_EQ(infer({"1", "2"}, {.ignored = {"x"}}).note, "asked for");
  EXPECT_EQ(complaint([] { infer({"1"}, {.ignored = {"z"}}); }),
            "ignored = \"z\": must be one of the columns: \"x\", \"other\"");
  EXPECT_EQ(complaint([] { infer({"1"}, {.categorical = {"x"}, .numeric = {"x"}}); }),
            "numeric = \"x\": is also said to be categorical");
}

TEST(Schema, TextTargetsAreClassesAndNumericOnesAmountsUnlessAsked) {
  const ColumnSchema texts = infer({"yes", "no", "no"}, {.target = "x"});
  EXPECT_TRUE(texts.target);
  EXPECT_EQ(texts.categories, (std::vector<std::string>{"no", "yes"}));
  const ColumnSchema truths = infer({"true", "false"}, {.target = "x"});
  EXPECT_EQ(truths.kind, ColumnKind::categorical);
  const ColumnSchema numbers = infer({"0", "1", "1"}, {.target = "x"});
  EXPECT_EQ(numbers.kind, ColumnKind::numeric);
  EXPECT_EQ(numbers.note,
            "2 whole numbers, taken as amounts; they can be classes: ask to classify");
  EXPECT_EQ(infer({"0.5", "1"}, {.target = "x"}).note, "");
  EXPECT_EQ(infer(counted("", 21), {.target = "x"}).note, "");
  EXPECT_EQ(infer({"10", "2", "+1", "2"}, {.target = "x", .classify = true}).categories,
            (std::vector<std::string>{"+1", "2", "10"}));
}

TEST(Schema, TargetsFromWhichNothingCanBeLearnedAreRefused) {
  const auto refused = [](const std::vector<std::string>& cells, bool classify) {
    return complaint([&] { infer(cells, {.target = "x", .classify = classify}); });
  };
  EXPECT_EQ(refused({"3", "3"}, false),
            "target = \"x\": has the same value in all rows: there is nothing to learn");
  EXPECT_EQ(refused({"", "NA"}, false), "target = \"x\": has no value in any row");
  EXPECT_EQ(refused({"a", "a"}, false),
            "target = \"x\": must have at least two classes, and has one");
  EXPECT_EQ(refused(counted("t", 201), false),
            "target = \"x\": has 201 different texts, more than 200 classes");
  EXPECT_NE(refused(counted("", 201), true), "no complaint");
  EXPECT_EQ(complaint([] {
              infer({"1", "2"}, {.target = "y"});
            }),
            "target = \"y\": must be one of the columns: \"x\", \"other\"");
  EXPECT_EQ(complaint([] {
              infer({"1", "2"}, {.target = "x", .ignored = {"x"}});
            }),
            "ignored = \"x\": is the target, which cannot be ignored");
}

}  // namespace
}  // namespace postrider
