#include "data/cell_columns.h"

#include <gtest/gtest.h>

#include <cmath>

#include "files.h"

namespace postrider {
using namespace internal;
namespace {

TEST(Cells, TextsAreKeptAndShortened) {
  Texts texts;
  for (const char* const text : {"a", "", "bcd"}) texts.add(text);
  EXPECT_EQ(texts[0], "a");
  EXPECT_EQ(texts[1], "");
  EXPECT_EQ(texts[2], "bcd");
  texts.shorten(1);
  texts.add("e");
  EXPECT_EQ(texts.size(), 2u);
  EXPECT_EQ(texts[1], "e");
}

TEST(Cells, CategoriesAreFoundByTheirPlace) {
  const Dictionary dictionary({"b", "a", ""});
  EXPECT_EQ(dictionary.find("b"), 0u);
  EXPECT_EQ(dictionary.find("a"), 1u);
  EXPECT_EQ(dictionary.find("c"), Table::Column::kUnknown);
}

TEST(Cells, MistakesNameFileLineColumnAndCell) {
  const std::string file = "data.csv";
  CellColumn column;
  column.use = CellUse::number;
  column.name = "age";
  column.resize(1);
  EXPECT_EQ(trouble([&] {
              put_cell(column, 0, "old", {file, 7});
            }).find("data.csv, line 7: column \"age\": \"old\" is not a number"),
            0u);
  EXPECT_EQ(trouble([&] {
              put_cell(column, 0, "-inf", {file, 7});
            }),
            "data.csv, line 7: column \"age\": \"-inf\" is infinite; numbers must be finite");
  column.use = CellUse::code;
  column.dictionary = Dictionary({"young"});
  column.resize(1);
  put_cell(column, 0, "old", {file, 7});
  EXPECT_EQ(column.cells.codes[0], Table::Column::kUnknown);
  column.must_be_known = true;
  EXPECT_EQ(trouble([&] {
              put_cell(column, 0, "old", {file, 7});
            }).find("data.csv, line 7: column \"age\": \"old\" is none of the classes"),
            0u);
}

double number_in(CellColumn column, const std::string& cell) {
  const std::string file = "data.csv";
  column.resize(1);
  put_cell(column, 0, cell, {file, 7});
  return column.cells.numbers[0];
}

TEST(Cells, NumbersInTheFormAndUnitOfTheirColumn) {
  CellColumn column;
  column.use = CellUse::written;
  column.name = "price";
  column.form = ColumnSchema::Form::decimal_comma;
  column.unit = "€";
  const std::vector<std::string> markers{"-999", "unbekannt"};
  column.markers.add(markers);
  EXPECT_EQ(number_in(column, "1.234,5 €"), 1234.5);
  EXPECT_EQ(number_in(column, "7"), 7);
  for (const char* const cell : {"-999", "-999,0", "Unbekannt", "-", "None", "NA"})
    EXPECT_TRUE(std::isnan(number_in(column, cell))) << cell;
  EXPECT_EQ(
      trouble([&] { number_in(column, "$5"); }),
      "data.csv, line 7: column \"price\": \"$5\" has another unit than the rows learned, whose "
      "numbers are in €");
  column.unit = "";
  EXPECT_NE(trouble([&] { number_in(column, "5%"); }).find("had none"), std::string::npos);
}

TEST(Cells, DatesInTheFormOfTheirColumn) {
  CellColumn column;
  column.use = CellUse::date;
  column.name = "when";
  column.form = ColumnSchema::Form::day_first;
  const std::vector<std::string> markers{"never"};
  column.markers.add(markers);
  EXPECT_EQ(number_in(column, "02.01.1970"), 86400);
  for (const char* const cell : {"never", "-", ""})
    EXPECT_TRUE(std::isnan(number_in(column, cell))) << cell;
  EXPECT_EQ(trouble([&] { number_in(column, "1970-01-02"); })
                .find("data.csv, line 7: column \"when\": \"1970-01-02\" is not a date such as "
                      "16/11/2026; missing cells are"),
            0u);
}

// Models depend on these places.
TEST(Cells, SharedInputsAreFoundByAHashThatStaysTheSame) {
  // Computed by another program.
  EXPECT_EQ(hashed_place("", 64), 38u);
  EXPECT_EQ(hashed_place("a", 64), 27u);
  EXPECT_EQ(hashed_place("foobar", 64), 43u);
  EXPECT_EQ(hashed_place("\xc3\xa9t\xc3\xa9", 64), 59u);
  std::vector<std::size_t> rows(64);
  for (std::size_t k = 0; k < 64'000; ++k) ++rows[hashed_place("text " + std::to_string(k), 64)];
  for (const std::size_t each : rows) EXPECT_NEAR(static_cast<double>(each), 1000, 200);
  const std::string file = "data.csv";
  CellColumn column;
  column.use = CellUse::code;
  column.dictionary = Dictionary({"a", "#N/A"});
  column.categories = 2;
  column.hashed = 64;
  column.resize(1);
  const auto code = [&](const std::string& cell) {
    put_cell(column, 0, cell, {file, 7});
    return column.cells.codes[0];
  };
  EXPECT_EQ(code("a"), 0u);
  EXPECT_EQ(code("b"), 2 + hashed_place("b", 64));
  EXPECT_EQ(code("NA"), Table::Column::kMissing);
  EXPECT_EQ(code("#N/A"), 1u);  // learned as a category by a model that did not know the word
}

// Cases of the table of well-formed byte sequences of the Unicode standard, and their neighbours.
TEST(Cells, Utf8IsRecognised) {
  for (const char* const text : {"", "abc", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf",
                                 "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"})
    EXPECT_TRUE(is_utf8(text)) << text;
  for (const char* const text :
       {"\x80", "\xc1\xbf", "\xc2", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf",
        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "caf\xe9", "\xe2\x82"})
    EXPECT_FALSE(is_utf8(text)) << text;
}

TEST(Cells, ShownTextsAreShortAndHarmless) {
  EXPECT_EQ(shown("a\x1b[1m\n"), "\"a?[1m?\"");
  EXPECT_EQ(shown("caf\xe9"), "\"caf?\"");
  EXPECT_EQ(shown("\xc3\xa9"), "\"\xc3\xa9\"");
  EXPECT_EQ(shown("a\u202eb\u061c\u200f\u2066\u2069"), "\"a?b????\"")
      << "turned, it reads as another";
  EXPECT_EQ(shown("\u2026\u2070"), "\"\u2026\u2070\"");
  for (std::size_t size = 30; size < 60; ++size) {
    std::string text(size, 'x');
    for (std::size_t k = 0; k < 30; ++k) text += "\xe2\x82\xac";
    EXPECT_TRUE(is_utf8(shown(text)));
    EXPECT_LT(shown(text).size(), 60u);
  }
}

}  // namespace
}  // namespace postrider
