#include "table/unusable_rows.h"

#include <gtest/gtest.h>

#include <string>

#include "people.h"
#include "postrider/error.h"

namespace postrider {
using namespace internal;
namespace {

TableModel incomes() {
  TableReader reader = people_reader(people(120, 1), income_options());
  return TableModel::train(reader, small_model(3, 2));
}

const std::string kRows =
    "name,age,town,income,rich\n"
    "a,0.5,a,1,no\n"
    "b,1e300,b,1,no\n"
    "c,0.5,b,1e200,no\n"
    "d,1e300,b,1e200,no\n"
    "e,0.2,c,,no\n";

TEST(UnusableRows, HaveColumnValueAndLine) {
  const TableModel model = incomes();
  const std::vector<TableModel::UnusableRow> found =
      model.unusable(people_table(kRows, model.schema()));
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].row, 1u);
  EXPECT_EQ(found[0].text(), "age = 1e+300: must be at most 1e120 in size; see line 3");
  EXPECT_EQ(found[1].row, 2u);
  EXPECT_EQ(found[1].text(), "income = 1e+200: must be at most 1e120 in size; see line 4");
  EXPECT_EQ(found[2].row, 3u);
  EXPECT_EQ(found[2].reason.substr(0, 3), "age");
}

std::string message_of(const auto& work) {
  try {
    work();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "no error";
}

TEST(UnusableRows, AreNamedWhereRowsArePredictedOrLearned) {
  TableModel model = incomes();
  const Table rows = people_table(kRows, model.schema());
  const std::string first = "age = 1e+300: must be at most 1e120 in size; see line 3";
  EXPECT_EQ(message_of([&] { static_cast<void>(model.predict(rows)); }), first);
  EXPECT_EQ(message_of([&] { static_cast<void>(model.evaluate(rows)); }), first);
  EXPECT_EQ(message_of([&] { model.update(rows); }), first);
  EXPECT_EQ(message_of([&] { model.follow(rows, {"somewhere", {}}); }), first);
  EXPECT_EQ(message_of([&] {
              TableReader reader = people_reader(kRows, model.schema());
              model.update(reader);
            }),
            first);
  EXPECT_TRUE(model.unusable(rows.selected(std::vector<std::size_t>{0, 4})).empty());
  EXPECT_EQ(message_of([&] {
              model.update(rows.selected(std::vector<std::size_t>{0, 4}));
            }),
            "no error");
}

}  // namespace
}  // namespace postrider
