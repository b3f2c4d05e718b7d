#include <gtest/gtest.h>

#include "text/text_table.h"

namespace postrider::cli {
namespace {

TEST(CsvCell, QuotesWhereItMust) {
  EXPECT_EQ(csv_cell("plain"), "plain");
  EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_cell("say \"so\""), "\"say \"\"so\"\"\"");
  EXPECT_EQ(csv_cell("two\nlines"), "\"two\nlines\"");
}

TEST(CsvCell, NothingIsRunByASpreadsheet) {
  EXPECT_EQ(csv_cell("=1+1"), "'=1+1");
  EXPECT_EQ(csv_cell("@SUM(A1)"), "'@SUM(A1)");
  EXPECT_EQ(csv_cell("-2+3"), "'-2+3");
  EXPECT_EQ(csv_cell("+cmd|' /C calc'!A0"), "'+cmd|' /C calc'!A0");
  EXPECT_EQ(csv_cell("\t=1"), "\"'\t=1\"");
  EXPECT_EQ(csv_cell("\r=1"), "\"'\r=1\"");
  EXPECT_EQ(csv_cell("=\"a\",b"), "\"'=\"\"a\"\",b\"");
}

TEST(CsvCell, NumbersAndSignsStay) {
  for (const char* text : {"-1", "+1", "-1.5e3", "-inf", "+", "-", "=", "1-2", ""})
    EXPECT_EQ(csv_cell(text), text);
}

}  // namespace
}  // namespace postrider::cli
