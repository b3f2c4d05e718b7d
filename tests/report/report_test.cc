#include "postrider/report.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "complaint.h"
#include "postrider/error.h"
#include "table/people.h"

namespace postrider {
namespace {

TableModel trained(const TableOptions& table) {
  TableReader reader = people_reader(people(200, 1), table);
  return TableModel::train(reader, small_model(6, 6));
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t out = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++out;
  return out;
}

Table others(const TableModel& model, const std::vector<std::string>& keys = {}) {
  TableReader reader = table_reader_of(memory_bytes(people(100, 2), "people"), "people",
                                       {.keys = keys}, &model.schema());
  Table out;
  reader.next(out);
  return out;
}

TEST(ReportOn, TellsOfRowsThatHaveATarget) {
  const TableModel model = trained(income_options());
  const Table rows = others(model);
  const TableReport found = report_on(model, rows);
  EXPECT_EQ(found.rows, 100u);
  EXPECT_EQ(count(found.page, "<h1>Predicting income</h1>"), 1u);
  EXPECT_EQ(count(found.page, "<section id=\"certificate\">"), 1u);
  EXPECT_NE(found.coverage.find("90 % interval"), std::string::npos);
  EXPECT_EQ(found.certificate.compared(), certify_model(model, rows).compared());
  // Nobody said which files these are.
  EXPECT_EQ(count(found.page, "<dt>rows of this report</dt>"), 0u);
  EXPECT_EQ(count(found.page, "<dt>written by</dt>"), 0u);
  EXPECT_EQ(report_on(model, rows).page, found.page);
}

TEST(ReportOn, ClassesHaveACoverageOfTheirOwn) {
  const TableModel model = trained(rich_options());
  EXPECT_TRUE(report_on(model, others(model)).coverage.starts_with("predicted classes were right"));
}

TEST(ReportOn, TitleAndKeysAreOnThePage) {
  const TableModel model = trained(income_options());
  const TableReport found =
      report_on(model, others(model, {"name", "town"}),
                {.title = "A & B", .keys = {"name"}, .group = "town", .rows_path = "rows.csv"});
  EXPECT_EQ(count(found.page, "<h1>A &amp; B</h1>"), 1u);
  EXPECT_GT(count(found.page, "name person 2 "), 5u);
  EXPECT_EQ(count(found.page, "<dd>rows.csv</dd>"), 1u);
}

TEST(ReportOn, RefusesWhatMakesNoSense) {
  const TableModel model = trained(income_options());
  const Table rows = others(model);
  EXPECT_EQ(complaint([&] { report_on(model, rows, {.level = 1}); }),
            "level = 1: must be above 0 and below 1");
  EXPECT_EQ(complaint([&] { report_on(model, rows, {.group = "town"}); }),
            "keys = 1: must be columns that the table was read with, as TableOptions::keys");
  EXPECT_EQ(complaint([&] { certify_model(model, rows, 2); }), "member = 2: must be below 2");
  EXPECT_THROW(report_on(model, rows.selected({})), CorruptFile);
}

}  // namespace
}  // namespace postrider
