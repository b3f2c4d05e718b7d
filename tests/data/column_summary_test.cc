#include "data/column_summary.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace postrider {
using namespace internal;
namespace {

ColumnSummary seen(const std::vector<std::string>& cells, const ColumnQuestion& question = {}) {
  Texts texts;
  for (const std::string& cell : cells) texts.add(cell);
  return summary_of(texts, question);
}

std::vector<std::string> counted(std::size_t count, const std::string& behind = "") {
  std::vector<std::string> out;
  for (std::size_t k = 0; k < count; ++k) out.push_back(std::to_string(k) + behind);
  return out;
}

TEST(ColumnSummary, NumbersMissingCellsAndMarks) {
  const ColumnSummary found = seen({"1", "NA", "-", "2.5", "none", ""});
  EXPECT_EQ(found.rows, 6u);
  EXPECT_EQ(found.missing, 2u);
  EXPECT_EQ(found.marked, 2u);
  EXPECT_EQ(found.numbers, 2u);
  EXPECT_TRUE(found.has_values());
  EXPECT_EQ(found.least, 1);
  EXPECT_EQ(found.greatest, 2.5);
  EXPECT_FALSE(found.whole);
  EXPECT_TRUE(found.categories.empty());
}

TEST(ColumnSummary, MarkersOfTheUserAreMissing) {
  const std::vector<std::string> words{"-999", "unknown"};
  const ColumnSummary found =
      seen({"1", "-999", "-999.0", "Unknown", "3"}, {.markers = Markers(words)});
  EXPECT_EQ(found.missing, 3u);
  EXPECT_EQ(found.numbers, 2u);
  const ColumnSummary texts = seen({"a", "unknown", "-999", "a"}, {.markers = Markers(words)});
  EXPECT_EQ(texts.categories, (std::vector<std::string>{"a"}));
  EXPECT_EQ(texts.category_rows, (std::vector<std::size_t>{2}));
}

TEST(ColumnSummary, TheFormWithFewestTextsIsTaken) {
  EXPECT_EQ(seen({"1,234", "2,500"}).form, ColumnSchema::Form::decimal_point);
  EXPECT_EQ(seen({"1,234", "2,500"}).greatest, 2500);
  EXPECT_TRUE(seen({"1,234", "2,500"}).has_thousands_comma);
  EXPECT_EQ(seen({"1,234", "2,5"}).form, ColumnSchema::Form::decimal_comma);
  EXPECT_EQ(seen({"1,234", "2,5"}).greatest, 2.5);
  EXPECT_EQ(seen({"2026-11-16", "2026-11-17 12:30"}).form, ColumnSchema::Form::year_first);
  EXPECT_EQ(seen({"01/02/2026", "16/11/2026"}).form, ColumnSchema::Form::day_first);
  EXPECT_EQ(seen({"01/02/2026", "11/16/2026"}).form, ColumnSchema::Form::month_first);
  EXPECT_EQ(seen({"01.02.2026", "03.04.2026"}).form, ColumnSchema::Form::day_first);
  EXPECT_TRUE(seen({"01.02.2026", "03.04.2026"}).has_dates());
}

TEST(ColumnSummary, WhetherDayOrMonthIsFirstMayStayOpen) {
  const ColumnSummary open = seen({"01/02/2026", "03/04/2026"});
  EXPECT_TRUE(open.is_order_open);
  EXPECT_FALSE(open.has_values());
  EXPECT_FALSE(open.has_dates());
  EXPECT_EQ(open.categories.size(), 2u);
}

TEST(ColumnSummary, UnitsMustBeOne) {
  const ColumnSummary one = seen({"$1", "2", "$3,000"});
  EXPECT_TRUE(one.has_values());
  EXPECT_EQ(one.unit, "$");
  EXPECT_EQ(one.without_unit, 1u);
  const ColumnSummary two = seen({"$1", "€2"});
  EXPECT_FALSE(two.has_values());
  EXPECT_EQ(two.first_text, "€2");
}

TEST(ColumnSummary, OneTextThatComesAgainAndAgainIsAMarker) {
  const auto values = [](std::size_t marked, bool two) {
    Texts cells;
    for (std::size_t row = 0; row < 100; ++row)
      cells.add(row >= marked ? std::to_string(row) + ".5" : two && row == 0 ? "gone" : "unknown");
    return summary_of(cells, {});
  };
  EXPECT_TRUE(values(30, false).has_values());
  EXPECT_EQ(values(30, false).texts, 30u);
  EXPECT_TRUE(values(50, false).has_values());
  EXPECT_FALSE(values(51, false).has_values());
  EXPECT_FALSE(values(30, true).has_values());
  EXPECT_TRUE(values(5, true).has_values());
}

TEST(ColumnSummary, AMarkerAmongDates) {
  Texts cells;
  for (std::size_t row = 0; row < 100; ++row)
    cells.add(row % 3 == 0
                  ? "open"
                  : "2026-0" + std::to_string(1 + row % 9) + "-" + std::to_string(10 + row % 19));
  const ColumnSummary found = summary_of(cells, {});
  EXPECT_TRUE(found.has_dates());
  EXPECT_TRUE(found.has_values());
}

TEST(ColumnSummary, AFewOddCellsAmongManyNumbers) {
  std::vector<std::string> cells = counted(60);
  cells[7] = "6O";
  cells[9] = "6O";
  cells[11] = "?!";
  const ColumnSummary found = seen(cells);
  EXPECT_TRUE(found.has_values());
  EXPECT_EQ(found.texts, 3u);
  EXPECT_EQ(found.first_text, "6O");
  EXPECT_EQ(found.first_text_row, 7u);
  EXPECT_EQ(found.odd, (std::vector<std::string>{"6O", "?!"}));
  cells[12] = "x";  // 4 of 60 are more than 5 %
  EXPECT_FALSE(seen(cells).has_values());
  // Few different numbers may be categories.
  std::vector<std::string> few(60, "1");
  few[3] = "many";
  EXPECT_FALSE(seen(few).has_values());
  // So different that they are no slips.
  std::vector<std::string> codes = counted(1000);
  for (std::size_t k = 0; k < 11; ++k) codes[k] += "A";
  EXPECT_FALSE(seen(codes).has_values());
  codes[0] = "0";
  EXPECT_TRUE(seen(codes).has_values());
}

TEST(ColumnSummary, CategoriesAreSortedAndCounted) {
  const ColumnSummary texts = seen({"b", "a", "b", "-"});
  EXPECT_EQ(texts.categories, (std::vector<std::string>{"-", "a", "b"}));
  EXPECT_EQ(texts.category_rows, (std::vector<std::size_t>{1, 1, 2}));
  EXPECT_EQ(seen({"10", "9", "9.0"}, {.with_categories = true}).categories,
            (std::vector<std::string>{"9", "9.0", "10"}));
  EXPECT_EQ(seen({"0", "1"}, {.is_target = true}).categories.size(), 2u);
  EXPECT_TRUE(seen({"0", "1", "2"}, {.is_target = true}).categories.empty());
  EXPECT_TRUE(seen({"0", "1"}).categories.empty());
}

TEST(ColumnSummary, FewNumbersCanBeNamed) {
  ColumnSummary found;
  for (const double number : {1.0, -1.0, 1.0}) found.add_number(number);
  found.name_few_numbers();
  EXPECT_EQ(found.categories, (std::vector<std::string>{"-1", "1"}));
}

}  // namespace
}  // namespace postrider
