#include "data/cells.h"

#include <gtest/gtest.h>

#include "files.h"

namespace postrider {
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
  EXPECT_EQ(dictionary.find("c"), TableColumn::kUnknown);
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
  EXPECT_EQ(column.cells.codes[0], TableColumn::kUnknown);
  column.must_be_known = true;
  EXPECT_EQ(trouble([&] {
              put_cell(column, 0, "old", {file, 7});
            }).find("data.csv, line 7: column \"age\": \"old\" is none of the classes"),
            0u);
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
  for (std::size_t size = 30; size < 60; ++size) {
    std::string text(size, 'x');
    for (std::size_t k = 0; k < 30; ++k) text += "\xe2\x82\xac";
    EXPECT_TRUE(is_utf8(shown(text)));
    EXPECT_LT(shown(text).size(), 60u);
  }
}

}  // namespace
}  // namespace postrider
