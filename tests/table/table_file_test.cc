// Models of tables as files and as bytes.
#include <gtest/gtest.h>

#include <sstream>

#include "complaint.h"
#include "postrider/table_model.h"

namespace postrider {
namespace {

Table example(bool classifies) {
  Schema schema{{{.name = "x"}, {.name = "y", .target = true}}};
  Table::Column x, y;
  for (int row = 0; row < 20; ++row) {
    x.numbers.push_back(row);
    if (classifies)
      y.codes.push_back(row < 10 ? 0 : 1);
    else
      y.numbers.push_back(2 * row);
  }
  if (classifies) {
    schema.columns[1].kind = ColumnSchema::Kind::categorical;
    schema.columns[1].categories = {"no", "yes"};
  }
  return Table(schema, {x, y});
}

TableModel trained(bool classifies) {
  TableModelOptions options;
  options.estimator.hidden = {3};
  options.estimator.ensemble_size = 1;
  options.estimator.training.max_epochs = 3;
  return TableModel::train(example(classifies), options);
}

TEST(TableFile, BytesAreTheWholeModel) {
  for (const bool classifies : {false, true}) {
    const TableModel model = trained(classifies);
    std::stringstream bytes;
    model.save(bytes);
    const TableModel loaded = TableModel::load(bytes);
    EXPECT_EQ(loaded.classifies(), classifies);
    EXPECT_EQ(loaded.predict(example(classifies)).mean, model.predict(example(classifies)).mean);
    EXPECT_EQ(loaded.predict(example(classifies)).probabilities,
              model.predict(example(classifies)).probabilities);
    std::stringstream again;
    loaded.save(again);
    EXPECT_EQ(again.str(), bytes.str());
  }
}

TEST(TableFile, DamagedBytesAreRefused) {
  std::stringstream bytes;
  trained(false).save(bytes);
  std::istringstream cut(bytes.str().substr(0, bytes.str().size() / 2)), empty;
  EXPECT_THROW(TableModel::load(cut), CorruptFile);
  EXPECT_THROW(TableModel::load(empty), CorruptFile);
}

}  // namespace
}  // namespace postrider
