#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <sstream>

#include "people.h"
#include "postrider/error.h"
#include "table/json_reading.h"
#include "table/row_notes.h"

namespace postrider {
using namespace internal;
namespace {

using Json = nlohmann::ordered_json;

// Two rows, one without an age, as they wait.
TableModel::Waiting two_rows() {
  TableReader reader = people_reader(people(120, 1, /*missing=*/0), income_options());
  Table table;
  reader.next(table);
  const std::size_t some[] = {3, 8};
  const Table picked = table.selected(some);
  std::vector<Table::Column> columns;
  for (std::size_t c = 0; c < table.schema().columns.size(); ++c)
    columns.push_back(picked.column(c));
  const double missing = std::numeric_limits<double>::quiet_NaN();
  columns[table.schema().find("age")].numbers[1] = missing;
  columns[table.schema().target()].numbers.assign(2, missing);
  return {"name", 17, {4, 9}, {"person \"3\"", "8"}, Table(table.schema(), std::move(columns))};
}

TEST(WaitingNotes, AreReadAsTheyWereWritten) {
  const TableModel::Waiting waiting = two_rows();
  const Schema& schema = waiting.rows.schema();
  const TableModel::Waiting back = read_waiting(Json::parse(waiting_json(waiting).dump()), schema);
  EXPECT_EQ(back.column, "name");
  EXPECT_EQ(back.events, 17u);
  EXPECT_EQ(back.numbers, waiting.numbers);
  EXPECT_EQ(back.keys, waiting.keys);
  ASSERT_EQ(back.rows.rows(), 2u);
  const std::size_t age = schema.find("age"), town = schema.find("town");
  EXPECT_EQ(back.rows.column(age).numbers[0], waiting.rows.column(age).numbers[0]);
  EXPECT_TRUE(std::isnan(back.rows.column(age).numbers[1]));
  EXPECT_EQ(back.rows.column(town).codes, waiting.rows.column(town).codes);
}

TEST(WaitingNotes, NoRowsAreReadToo) {
  const Schema schema = two_rows().rows.schema();
  TableModel::Waiting none;
  none.column = "name";
  none.events = 5;
  const TableModel::Waiting back = read_waiting(Json::parse(waiting_json(none).dump()), schema);
  EXPECT_EQ(back.events, 5u);
  EXPECT_TRUE(back.keys.empty());
}

TEST(WaitingNotes, WhatMakesNoSenseIsRefused) {
  const TableModel::Waiting waiting = two_rows();
  const Schema& schema = waiting.rows.schema();
  const std::size_t age = schema.find("age"), town = schema.find("town");
  const auto refused = [&](const std::function<void(Json&)>& change) {
    Json json = waiting_json(waiting);
    change(json);
    EXPECT_THROW(read_waiting(json, schema), json_reading::Malformed) << json;
  };
  refused([](Json& json) { json = 1; });
  refused([](Json& json) { json["column"] = ""; });
  refused([](Json& json) { json["events"] = 8U; });  // fewer than the last row's number
  refused([](Json& json) { json["numbers"][1] = 4U; });
  refused([](Json& json) { json["numbers"][0] = 0U; });
  refused([](Json& json) { json["numbers"][0] = -4; });
  refused([](Json& json) { json["keys"].erase(1); });
  refused([](Json& json) { json["keys"][1] = 8; });
  refused([](Json& json) { json["columns"].erase(0); });
  refused([&](Json& json) { json["columns"][age].erase(0); });
  refused([&](Json& json) { json["columns"][age][0] = "old"; });
  refused([&](Json& json) { json["columns"][town][0] = 1.5; });
  refused([&](Json& json) { json["columns"][town][0] = std::uint64_t{1} << 33; });
  Json unknown = waiting_json(waiting);
  unknown["columns"][town][0] = 77U;
  EXPECT_THROW(read_waiting(unknown, schema), InvalidArgument);
}

TEST(WaitingNotes, GoThroughAModelsFileAndItsCopies) {
  TableReader reader = people_reader(people(120, 1), income_options());
  TableModel model = TableModel::train(reader, small_model(2, 1));
  TableModel::Waiting waiting = two_rows();
  waiting.rows = Table();
  EXPECT_THROW(model.keep(waiting), InvalidArgument);  // two keys, and no row
  waiting = two_rows();
  if (waiting.rows.schema() != model.schema()) {
    std::vector<Table::Column> columns;
    for (std::size_t c = 0; c < model.schema().columns.size(); ++c)
      columns.push_back(waiting.rows.column(c));
    waiting.rows = Table(model.schema(), std::move(columns));
  }
  model.keep(waiting);
  EXPECT_EQ(model.copy().waiting().keys, waiting.keys);
  std::stringstream file;
  model.save(file);
  EXPECT_EQ(TableModel::load(file).waiting().keys, waiting.keys);
  EXPECT_TRUE(TableModel::train(people_table(people(60, 2), model.schema()), small_model(2, 1))
                  .waiting()
                  .column.empty());
}

}  // namespace
}  // namespace postrider
