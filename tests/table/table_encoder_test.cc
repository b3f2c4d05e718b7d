#include "postrider/table_encoder.h"

#include <gtest/gtest.h>

#include <cmath>

#include "complaint.h"
#include "postrider/table_model.h"

namespace postrider {
namespace {

Schema inputs() {
  return {
      {{.name = "size"},
       {.name = "colour", .kind = ColumnSchema::Kind::categorical, .categories = {"blue", "red"}},
       {.name = "note", .kind = ColumnSchema::Kind::ignored},
       {.name = "town", .kind = ColumnSchema::Kind::categorical, .categories = {"a", "b", "c"}}}};
}

TEST(TableEncoder, ColumnsBecomeInputs) {
  const TableEncoder encoder(inputs());
  std::vector<std::string> names;
  for (const Schema::Feature& feature : encoder.features()) names.push_back(feature.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"size", "colour = red", "town = a", "town = b", "town = c"}));
  const Table table(
      inputs(),
      {{.numbers = {1.5, 2}}, {.codes = {1, 0}}, {}, {.codes = {2, Table::Column::kUnknown}}});
  const std::vector<double> found = encoder.encode(table);
  ASSERT_EQ(found.size(), 10U);
  EXPECT_EQ(std::vector<double>(found.begin(), found.begin() + 7),
            (std::vector<double>{1.5, 1, 0, 0, 1, 2, 0}));
  for (std::size_t k = 7; k < 10; ++k) EXPECT_TRUE(std::isnan(found[k]));
}

TEST(TableEncoder, AnEstimatorOfItsRowsIsATableModel) {
  const TableEncoder encoder(inputs());
  const Table table(
      inputs(), {{.numbers = {1, 2, 3, 4}}, {.codes = {1, 0, 1, 0}}, {}, {.codes = {2, 0, 1, 1}}});
  const std::vector<double> rows = encoder.encode(table), targets{1, 2, 3, 4};
  Regressor regressor({.hidden = {3}, .ensemble_size = 1, .training = {.max_epochs = 2}});
  regressor.fit(rows, targets);
  Schema schema = inputs();
  schema.columns.push_back({.name = "y", .target = true});
  std::stringstream bytes;
  regressor.save(bytes, table_notes(schema, {}));
  const TableModel model = TableModel::load(bytes);
  std::vector<Table::Column> columns;
  for (std::size_t c = 0; c < 4; ++c) columns.push_back(table.column(c));
  columns.emplace_back();
  EXPECT_EQ(model.predict(Table(schema, columns)).mean, regressor.predict(rows).mean);
}

TEST(TableEncoder, MistakesAreNamed) {
  const Schema nothing{{{.name = "note", .kind = ColumnSchema::Kind::ignored}}};
  EXPECT_EQ(complaint([&] { TableEncoder encoder(nothing); }),
            "columns = 1: must have an input: columns of one value, and texts that are all "
            "different, are none");
  const TableEncoder encoder(inputs());
  EXPECT_EQ(complaint([&] { encoder.encode(Table()); }),
            "columns = 0: must be those of the encoder's schema");
}

}  // namespace
}  // namespace postrider
