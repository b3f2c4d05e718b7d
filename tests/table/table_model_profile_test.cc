// That a model knows what the rows it has learned look like, and keeps it.
#include <gtest/gtest.h>

#include "files.h"
#include "postrider/table_model.h"
#include "table/people.h"

namespace postrider {
namespace {

constexpr std::size_t kRows = 120;

TableModelOptions quick() { return small_model(4, 2); }

TableModel trained(const TableModelOptions& options = quick()) {
  TableReader reader = people_reader(people(kRows, 1), income_options());
  return TableModel::train(reader, options);
}

RowMonitor::Digest digest_of(const Table& table) {
  RowMonitor::Digest out;
  out.add(table);
  return out;
}

TEST(TableModelProfile, IsThatOfTheRowsHoweverTheyAreTrained) {
  const TableModel model = trained();
  const Table table = people_table(people(kRows, 1), model.schema());
  TableProfile expected;
  expected.add(table);
  EXPECT_EQ(model.profile(), expected);
  EXPECT_EQ(TableModel::train(table, quick()).profile(), expected);
  TableReader reader = people_reader(people(kRows, 1), income_options());
  EXPECT_EQ(TableModel::train_stream(reader, quick()).profile(), expected);
  EXPECT_EQ(model.times_learned(digest_of(table)), 1u);
}

TEST(TableModelProfile, GrowsWithWhatIsLearnedLater) {
  TableModel model = trained();
  const std::string more = people(50, 2);
  const Table table = people_table(more, model.schema());
  TableProfile expected = model.profile();
  expected.add(table);
  TableModel by_table = model.copy(), by_reader = model.copy(), followed = model.copy();
  EXPECT_EQ(by_table.profile(), model.profile());
  by_table.update(table);
  EXPECT_EQ(by_table.profile(), expected);
  EXPECT_EQ(by_table.times_learned(digest_of(table)), 1u);
  TableReader reader = people_reader(more, model.schema());
  by_reader.update(reader);
  EXPECT_EQ(by_reader.profile(), expected);
  EXPECT_EQ(by_reader.times_learned(digest_of(table)), 1u);
  TableReader again = people_reader(more, model.schema());
  by_reader.update(again);
  EXPECT_EQ(by_reader.times_learned(digest_of(table)), 2u);
  followed.follow(table, {"somewhere", {{"0", "49"}}});
  EXPECT_EQ(followed.profile(), expected);
}

TEST(TableModelProfile, IsInTheFile) {
  const TemporaryFolder folder;
  TableModel model = trained();
  const RowMonitor::Digest others{3, 4, 5};
  model.keep(others);
  model.keep(others);
  model.save(folder.file("model"));
  const TableModel back = TableModel::load(folder.file("model"));
  EXPECT_EQ(back.profile(), model.profile());
  EXPECT_EQ(back.times_learned(others), 1u);
  EXPECT_EQ(back.copy().times_learned(others), 1u);
}

TEST(TableModelProfile, CanBeLeftOut) {
  TableModelOptions options = quick();
  options.profile = false;
  TableModel model = trained(options);
  EXPECT_TRUE(model.profile().is_empty());
  // One of later rows alone would mislead.
  model.update(people_table(people(50, 2), model.schema()));
  EXPECT_TRUE(model.profile().is_empty());
  TableReader reader = people_reader(people(kRows, 1), income_options());
  EXPECT_TRUE(TableModel::train_stream(reader, options).profile().is_empty());
}

}  // namespace
}  // namespace postrider
