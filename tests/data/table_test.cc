#include "postrider/table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "complaint.h"

namespace postrider {
namespace {

Schema example() {
  Schema out;
  out.columns = {{.name = "x"},
                 {.name = "k", .kind = ColumnSchema::Kind::categorical, .categories = {"a", "b"}},
                 {.name = "y", .target = true}};
  return out;
}

std::string complaint_of(const std::function<void(Schema&)>& change) {
  Schema schema = example();
  change(schema);
  return complaint([&] { schema.validate(); });
}

TEST(Table, ASchemaFindsItsColumns) {
  Schema schema = example();
  EXPECT_EQ(schema.find("k"), 1u);
  EXPECT_EQ(schema.find("z"), Schema::kNone);
  EXPECT_EQ(schema.target(), 2u);
  EXPECT_FALSE(schema.classifies());
  schema.columns[1].target = true;
  EXPECT_TRUE(schema.classifies());
}

TEST(Table, SchemasThatMakeNoSenseAreRefused) {
  EXPECT_EQ(complaint_of([](Schema&) {}), "no complaint");
  EXPECT_EQ(complaint_of([](Schema& s) { s.columns[1].name = s.columns[0].name; }),
            "columns = \"x\": must be named once");
  EXPECT_EQ(complaint_of([](Schema& s) { s.columns[0].target = true; }),
            "columns = 2: must have one target at most");
  EXPECT_EQ(complaint_of([](Schema& s) {
              s.columns[1].categories = {"a", "a"};
            }),
            "categories = \"k\": must have no category twice");
  EXPECT_EQ(complaint_of([](Schema& s) { s.columns[1].categories = {}; }),
            "categories = \"k\": must have at least one category");
  EXPECT_EQ(complaint_of([](Schema& s) { s.columns[0].categories = {"a"}; }),
            "categories = \"x\": must have none, since it is not categorical");
  EXPECT_EQ(complaint_of([](Schema& s) { s.columns[2].kind = ColumnSchema::Kind::ignored; }),
            "target = \"y\": must not be ignored");
  EXPECT_NE(complaint_of([](Schema& s) {
              s.columns[1].categories = {"caf\xe9", "b"};
            }),
            "no complaint");
}

TEST(Table, FormsPartsAndSharedInputsAreChecked) {
  EXPECT_EQ(complaint_of([](Schema& s) { s.columns[1].hashed = 64; }), "no complaint");
  EXPECT_EQ(complaint_of([](Schema& s) { s.columns[1].hashed = 1 << 20; }),
            "hashed = 1048576: must be at most 65536");
  EXPECT_EQ(complaint_of([](Schema& s) { s.columns[0].hashed = 1; }),
            "categories = \"x\": must have none, since it is not categorical");
  EXPECT_NE(complaint_of([](Schema& s) { s.columns[0].form = ColumnSchema::Form::day_first; }),
            "no complaint");
  EXPECT_NE(complaint_of([](Schema& s) { s.columns[0].parts = {ColumnSchema::DatePart::hour}; }),
            "no complaint");
  const auto as_date = [](Schema& s) {
    s.columns[0].kind = ColumnSchema::Kind::date;
    s.columns[0].form = ColumnSchema::Form::day_first;
    s.columns[0].parts = {ColumnSchema::DatePart::hour};
  };
  EXPECT_EQ(complaint_of(as_date), "no complaint");
  EXPECT_NE(complaint_of([&](Schema& s) {
              as_date(s);
              s.columns[0].parts = {ColumnSchema::DatePart::hour, ColumnSchema::DatePart::hour};
            }),
            "no complaint");
  Schema dates = example();
  as_date(dates);
  EXPECT_EQ(complaint([&] {
              Table(dates, {{.numbers = {1e15}}, {.codes = {0}}, {}});
            }),
            "x = 1e+15: must be seconds since 1970, in a year from 0 to 9999");
}

TEST(Table, RowsInMemoryAreChecked) {
  const double inf = std::numeric_limits<double>::infinity();
  const Table table(example(), {{.numbers = {1, 2}}, {.codes = {0, 1}}, {}});
  EXPECT_EQ(table.rows(), 2u);
  EXPECT_FALSE(table.has_target());
  EXPECT_TRUE(Table(example(), {{.numbers = {1}}, {.codes = {0}}, {.numbers = {3}}}).has_target());
  EXPECT_EQ(complaint([] {
              Table(example(), {{.numbers = {1}}, {.codes = {0}}});
            }),
            "columns = 2: must be as many as the schema has");
  EXPECT_EQ(complaint([] {
              Table(example(), {{.numbers = {1}}, {.codes = {0, 1}}, {}});
            }),
            "columns = \"k\": must have as many rows as others");
  EXPECT_EQ(complaint([] {
              Table(example(), {{.numbers = {1}}, {.codes = {2}}, {}});
            }),
            "k = 2: must be the place of a category");
  EXPECT_EQ(complaint([&] {
              Table(example(), {{.numbers = {inf}}, {.codes = {0}}, {}});
            }),
            "x = inf: must be finite, or NaN where missing");
  EXPECT_NE(complaint([] {
              Table(example(), {{.codes = {0}}, {.codes = {0}}, {}});
            }),
            "no complaint");
}

TEST(Table, RowsAreSelectedInTheOrderAskedFor) {
  const Table table(example(), {{.numbers = {1, 2, 3}}, {.codes = {0, 1, 0}}, {}});
  const Table some = table.selected(std::vector<std::size_t>{2, 0, 2});
  EXPECT_EQ(some.rows(), 3U);
  EXPECT_EQ(some.column(0).numbers, (std::vector<double>{3, 1, 3}));
  EXPECT_EQ(some.column(1).codes, (std::vector<std::uint32_t>{0, 0, 0}));
  EXPECT_TRUE(some.column(2).numbers.empty());
  EXPECT_EQ(table.selected(std::vector<std::size_t>{1}).column(1).codes.front(), 1U);
  EXPECT_EQ(table.selected({}).rows(), 0U);
  EXPECT_EQ(complaint([&] { table.selected(std::vector<std::size_t>{3}); }),
            "rows = 3: must be below 3");
}

TEST(Table, OptionsAreChecked) {
  for (const char bad : {'a', '"', '.', '-', '5', '\n'})
    EXPECT_NE(complaint([&] { TableOptions{.delimiter = bad}.validate(); }), "no complaint") << bad;
  for (const char good : {',', ';', '\t', '|', ' ', ':', '\0'})
    EXPECT_EQ(complaint([&] { TableOptions{.delimiter = good}.validate(); }), "no complaint")
        << good;
  EXPECT_EQ(complaint([] { TableOptions{.sample_rows = 0}.validate(); }),
            "sample_rows = 0: must be at least 1");
}

TEST(Table, RowsAreAppended) {
  const Table one(example(), {{{1, 2}}, {{}, {0, 1}}, {{5, 6}}});
  const Table two(example(), {{{3}}, {{}, {1}}, {{7}}});
  Table all;
  all.append(one);
  all.append(Table(example(), std::vector<Table::Column>(3)));
  all.append(two);
  EXPECT_EQ(all.rows(), 3u);
  EXPECT_EQ(all.column(0).numbers, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(all.column(1).codes, (std::vector<std::uint32_t>{0, 1, 1}));
  Schema other = example();
  other.columns[0].name = "z";
  EXPECT_NE(complaint([&] {
              all.append(Table(other, {{{3}}, {{}, {1}}, {{7}}}));
            }),
            "no complaint");
}

}  // namespace
}  // namespace postrider
