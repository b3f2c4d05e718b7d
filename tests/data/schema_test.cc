#include "data/schema.h"

#include <gtest/gtest.h>

#include "complaint.h"

namespace postrider {
using namespace internal;
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
  return rules.decide("x", summary_of(texts_of(cells), rules.question("x")));
}

std::vector<std::string> counted(const std::string& begin, std::size_t count) {
  std::vector<std::string> out;
  for (std::size_t k = 0; k < count; ++k) out.push_back(begin + std::to_string(k));
  return out;
}

TEST(Schema, NumbersAreNumericAndTextsAreCategories) {
  const ColumnSchema numbers = infer({"1", "2.5", "-3e4", "NA"});
  EXPECT_EQ(numbers.kind, ColumnSchema::Kind::numeric);
  EXPECT_TRUE(numbers.has_missing);
  EXPECT_TRUE(numbers.categories.empty());
  const ColumnSchema texts = infer({"red", "blue", "red"});
  EXPECT_EQ(texts.kind, ColumnSchema::Kind::categorical);
  EXPECT_FALSE(texts.has_missing);
  EXPECT_EQ(texts.categories, (std::vector<std::string>{"blue", "red"}));
  const ColumnSchema mixed = infer({"1", "2", "2", "many"});
  EXPECT_EQ(mixed.kind, ColumnSchema::Kind::categorical);
  EXPECT_EQ(mixed.note, "3 of 4 cells are numbers, and \"many\" is not");
}

TEST(Schema, NumbersWithLeadingZerosAreCategories) {
  const ColumnSchema codes = infer({"007", "012", "110", "007", ""});
  EXPECT_EQ(codes.kind, ColumnSchema::Kind::categorical);
  EXPECT_EQ(codes.categories, (std::vector<std::string>{"007", "012", "110"}));
  EXPECT_EQ(codes.note,
            "numbers with leading zeros, taken as categories; they can be amounts: name the column "
            "as numeric");
  EXPECT_EQ(infer({"007", "012", "110"}, {.numeric = {"x"}}).kind, ColumnSchema::Kind::numeric);
  EXPECT_EQ(infer({"007", "012", "110"}, {.target = "x"}).kind, ColumnSchema::Kind::numeric);
  EXPECT_EQ(infer({"0", "12", "110"}).kind, ColumnSchema::Kind::numeric);
  EXPECT_EQ(infer({"0.5", "00.7", "1"}).kind, ColumnSchema::Kind::numeric);
  // One zero among many numbers of other widths is a slip.
  std::vector<std::string> many = counted("", 100);
  many.emplace_back("07");
  EXPECT_EQ(infer(many).kind, ColumnSchema::Kind::numeric);
}

TEST(Schema, CategoriesThatDifferInCapitalsAloneAreTold) {
  const std::string said = "\"N\" and \"n\" are two categories, since capitals count";
  EXPECT_EQ(infer({"Y", "N", "y", "n", "Y"}).note, said);
  EXPECT_EQ(infer({"Y", "N", "y", "n", "Y"}, {.target = "x"}).note, said);
  EXPECT_EQ(infer({"Y", "N", "Y"}).note, "");
}

TEST(Schema, DecimalCommasAreUnderstoodAndTold) {
  const std::vector<std::string> cells{"95,65", "12", "", "-1,5e3"};
  const ColumnSchema found = infer(cells);
  EXPECT_EQ(found.kind, ColumnSchema::Kind::numeric);
  EXPECT_EQ(found.form, ColumnSchema::Form::decimal_comma);
  EXPECT_EQ(found.note, "with decimal commas");
  EXPECT_EQ(infer(cells, {.target = "x"}).form, ColumnSchema::Form::decimal_comma);
  EXPECT_EQ(infer(cells, {.numeric = {"x"}}).form, ColumnSchema::Form::decimal_comma);
  EXPECT_EQ(infer(cells, {.categorical = {"x"}}).kind, ColumnSchema::Kind::categorical);
  EXPECT_EQ(infer(cells, {.ignored = {"x"}}).kind, ColumnSchema::Kind::ignored);
  EXPECT_EQ(infer({"1,2,3", "4,5,6", "4,5,6"}).kind, ColumnSchema::Kind::categorical);
  EXPECT_EQ(infer({"12", "7"}, {.categorical = {"x"}}).kind, ColumnSchema::Kind::categorical);
  EXPECT_EQ(infer({"1,2", "b", "b"}).kind, ColumnSchema::Kind::categorical);
}

TEST(Schema, UnitsAndThousandsAreUnderstoodAndTold) {
  const ColumnSchema money = infer({"$1,200", "$7", "-"});
  EXPECT_EQ(money.kind, ColumnSchema::Kind::numeric);
  EXPECT_TRUE(money.has_missing);
  EXPECT_EQ(money.unit, "$");
  EXPECT_EQ(money.note, "commas are between thousands; in $");
  EXPECT_EQ(infer({"5%", "7", "8"}).note, "in %, also the 2 cells without it");
  EXPECT_EQ(infer({"$5", "€7", "€8"}).note, "1 of 3 cells are numbers in $, and \"€7\" is not");
}

TEST(Schema, OneOddCellDoesNotMakeAColumnTexts) {
  std::vector<std::string> cells = counted("", 40);
  cells[6] = "6O";
  const ColumnSchema found = infer(cells);
  EXPECT_EQ(found.kind, ColumnSchema::Kind::numeric);
  EXPECT_TRUE(found.has_missing);
  EXPECT_EQ(found.odd, (std::vector<std::string>{"6O"}));
  EXPECT_EQ(found.note, "1 of 40 cells is taken as missing, since \"6O\" is none of the numbers");
  EXPECT_TRUE(infer(cells, {.numeric = {"x"}}).odd.empty());  // then it is an error
  for (std::size_t k = 6; k < 10; ++k) cells[k] = "t" + std::to_string(k);
  const ColumnSchema texts = infer(cells);
  EXPECT_EQ(texts.kind, ColumnSchema::Kind::ignored);
  EXPECT_EQ(texts.note,
            "an identifier: 40 different texts in 40 cells; 36 of 40 cells are numbers, and \"t6\" "
            "is not");
}

TEST(Schema, MarkersOfTheUserAreMissing) {
  const ColumnSchema found = infer({"1", "2", "none of it"}, {.na = {"None of it"}});
  EXPECT_EQ(found.kind, ColumnSchema::Kind::numeric);
  EXPECT_TRUE(found.has_missing);
  EXPECT_EQ(infer({"a", "-", "b"}).categories.size(), 3u);
  EXPECT_EQ(infer({"a", "-", "b"}, {.na = {"-"}}).categories.size(), 2u);
}

TEST(Schema, DatesAreFoundWithThePartsThatVary) {
  const ColumnSchema found = infer({"2026-11-16", "2026-12-17", "NA"});
  EXPECT_EQ(found.kind, ColumnSchema::Kind::date);
  EXPECT_EQ(found.form, ColumnSchema::Form::year_first);
  EXPECT_EQ(found.parts, (std::vector{ColumnSchema::DatePart::trend, ColumnSchema::DatePart::month,
                                      ColumnSchema::DatePart::weekday}));
  EXPECT_EQ(found.note, "read as trend, month, weekday");
  EXPECT_EQ(infer({"16/11/2026", "17/11/2026"}).note, "read as trend, weekday; the day is first");
  EXPECT_EQ(infer({"11/16/2026", "11/17/2026"}).note, "read as trend, weekday; the month is first");
  EXPECT_EQ(infer({"01/02/2026", "01/02/2026", "03/04/2026"}).note,
            "they look like dates, and whether the day or the month is first cannot be told");
  EXPECT_EQ(infer({"2026-11-16", "2026-11-16"}).note, "constant");
  EXPECT_EQ(infer({"2026-11-16", ""}).parts, (std::vector{ColumnSchema::DatePart::trend}));
  EXPECT_EQ(infer({"2026-11-16", "2026-11-17"}, {.categorical = {"x"}}).kind,
            ColumnSchema::Kind::categorical);
  EXPECT_EQ(complaint([] {
              infer({"2026-11-16", "2026-11-17"}, {.target = "x"});
            }).find("target = \"x\": holds dates"),
            0u);
}

TEST(Schema, OfManyTextsTheRareOnesShareInputs) {
  std::vector<std::string> cells = counted("rare", 300);
  cells.insert(cells.end(), 10, "b");
  cells.insert(cells.end(), 12, "a");
  cells.insert(cells.end(), 9, "c");
  cells.insert(cells.end(), 40, "rare0");
  const ColumnSchema found = infer(cells);
  EXPECT_EQ(found.kind, ColumnSchema::Kind::categorical);
  EXPECT_EQ(found.categories, (std::vector<std::string>{"a", "b", "rare0"}));
  EXPECT_EQ(found.hashed, 64u);
  EXPECT_EQ(found.note,
            "303 different texts: 3 have an input each, those in 10 rows or more; the others share "
            "64 inputs");
  // Where rows are many, an input of its own takes one in five hundred.
  std::vector<std::string> many(9000, "often");
  for (std::size_t k = 0; k < 210; ++k) many.push_back("t" + std::to_string(k));
  many.insert(many.end(), 18, "t0");
  EXPECT_EQ(infer(many).categories, (std::vector<std::string>{"often", "t0"}));
  many.insert(many.end(), 272, "often");
  EXPECT_EQ(infer(many).categories, (std::vector<std::string>{"often", "t0"}));
  many.push_back("often");
  EXPECT_EQ(infer(many).categories, (std::vector<std::string>{"often"}));
  EXPECT_EQ(infer(many, {.most_categories = 212}).hashed, 0u);
}

TEST(Schema, WhatTellsNothingIsIgnoredWithAReason) {
  EXPECT_EQ(infer({"5", "5.0", "5"}).note, "constant");
  EXPECT_EQ(infer({"a", "a"}).kind, ColumnSchema::Kind::ignored);
  EXPECT_EQ(infer({"", "NA"}).note, "no cell has a value");
  // That it is missing may tell something.
  EXPECT_EQ(infer({"5", "", "5"}).kind, ColumnSchema::Kind::numeric);
  EXPECT_EQ(infer({"a", "", "a"}).kind, ColumnSchema::Kind::categorical);
  const ColumnSchema identifier = infer(counted("row", 30));
  EXPECT_EQ(identifier.kind, ColumnSchema::Kind::ignored);
  EXPECT_TRUE(identifier.categories.empty());
  EXPECT_EQ(identifier.note, "an identifier: 30 different texts in 30 cells");
  EXPECT_EQ(infer(counted("row", 5)).kind, ColumnSchema::Kind::categorical);
  EXPECT_EQ(infer(counted("", 30)).kind, ColumnSchema::Kind::numeric);
  std::vector<std::string> many = counted("word", 250), twice = many;
  many.insert(many.end(), twice.begin(), twice.end());
  EXPECT_EQ(infer(many).note, "250 different texts share 64 inputs");
  EXPECT_EQ(infer(many, {.most_categories = 250}).hashed, 0u);
}

// 23 of 29 cells are different, which is too few; but six stand in copies of rows.
TEST(Schema, CopiesOfRowsDoNotHideAnIdentifier) {
  std::vector<std::string> cells = counted("row", 23), twice = counted("row", 6);
  cells.insert(cells.end(), twice.begin(), twice.end());
  std::vector<bool> copies(29, false);
  std::fill(copies.begin() + 23, copies.end(), true);
  const std::vector<std::string> names{"x", "other"};
  const TableOptions options;
  const SchemaRules rules(options, names);
  const auto judged = [&](const std::vector<bool>& known) {
    return rules.decide("x", summary_of(texts_of(cells), rules.question("x"), known));
  };
  EXPECT_EQ(judged({}).kind, ColumnSchema::Kind::categorical);
  EXPECT_EQ(judged(copies).kind, ColumnSchema::Kind::ignored);
  EXPECT_EQ(judged(copies).note,
            "an identifier: 23 different texts in 29 cells, 6 of them in copies of rows");
}

TEST(Schema, TheUserOverrules) {
  EXPECT_EQ(infer({"10", "9", "10"}, {.categorical = {"x"}}).categories,
            (std::vector<std::string>{"9", "10"}));
  EXPECT_EQ(infer(counted("row", 30), {.categorical = {"x"}}).categories.size(), 30u);
  EXPECT_EQ(infer({"a", "b"}, {.numeric = {"x"}}).kind, ColumnSchema::Kind::numeric);
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
  EXPECT_EQ(truths.kind, ColumnSchema::Kind::categorical);
  const ColumnSchema numbers = infer({"0", "2", "2"}, {.target = "x"});
  EXPECT_EQ(numbers.kind, ColumnSchema::Kind::numeric);
  EXPECT_EQ(numbers.note,
            "2 whole numbers, taken as amounts; they can be classes: ask to classify");
  EXPECT_EQ(infer({"0.5", "1"}, {.target = "x"}).note, "");
  EXPECT_EQ(infer(counted("", 21), {.target = "x"}).note, "");
  EXPECT_EQ(infer({"10", "2", "+1", "2"}, {.target = "x", .classify = true}).categories,
            (std::vector<std::string>{"+1", "2", "10"}));
}

TEST(Schema, ATargetOfZeroAndOneIsOfClasses) {
  for (const std::vector<std::string>& cells : std::vector<std::vector<std::string>>{
           {"0", "1", "1"}, {"-1", "+1", ""}, {"1.0", "0.0"}, {"1", "-1"}}) {
    const ColumnSchema found = infer(cells, {.target = "x"});
    EXPECT_EQ(found.kind, ColumnSchema::Kind::categorical) << cells[0];
    EXPECT_EQ(found.categories.size(), 2u);
    EXPECT_EQ(found.note, "two numbers, taken as classes; they can be amounts: ask to regress");
    EXPECT_EQ(infer(cells, {.target = "x", .regress = true}).kind, ColumnSchema::Kind::numeric);
    EXPECT_EQ(infer(cells, {.target = "x", .numeric = {"x"}}).kind, ColumnSchema::Kind::numeric);
    EXPECT_EQ(infer(cells).kind, ColumnSchema::Kind::numeric);  // as an input
  }
  // Written in two ways, a class would be two.
  EXPECT_EQ(infer({"0", "1", "1.0"}, {.target = "x"}).kind, ColumnSchema::Kind::numeric);
  EXPECT_EQ(infer({"0", "1", "2"}, {.target = "x"}).kind, ColumnSchema::Kind::numeric);
  EXPECT_EQ(complaint([] {
              infer({"0", "yes"}, {.target = "x", .regress = true});
            }),
            "regress = \"x\": must have numbers only, and has \"yes\"");
  EXPECT_EQ(complaint([] {
              infer({"0", "1"}, {.target = "x", .classify = true, .regress = true});
            }),
            "regress = \"x\": is also said to have classes; ask for one of both");
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
