#include <gtest/gtest.h>

#include <string>

#include "complaint.h"
#include "files.h"
#include "table/baseline.h"
#include "table/people.h"

namespace postrider {
using namespace internal;
namespace {

TableEncoding encoding() {
  Schema schema;
  schema.columns = {{.name = "x"}, {.name = "y", .target = true}};
  return TableEncoding(schema, TableModelOptions::Missing::vague, false);
}

Baseline example() {
  Baseline out;
  out.mean = 0.1;
  out.variance = 2;
  out.residual_variance = 1.0 / 3;
  out.linear = {{1.5}, {0.7}, {-2}};
  return out;
}

TEST(BaselineNotes, WhatIsWrittenIsRead) {
  const Baseline found = read_baseline_note(baseline_note(example()), encoding());
  EXPECT_EQ(found.mean, 0.1);
  EXPECT_EQ(found.variance, 2);
  EXPECT_EQ(found.residual_variance, 1.0 / 3);
  EXPECT_EQ(found.linear.intercepts, std::vector<double>{1.5});
  EXPECT_EQ(found.linear.weights, std::vector<double>{0.7});
  EXPECT_EQ(found.linear.centres, std::vector<double>{-2});
}

TEST(BaselineNotes, WhatMakesNoSenseIsRefused) {
  const std::string good = baseline_note(example());
  const auto refused = [](const std::string& text) {
    return complaint([&] { read_baseline_note(text, encoding()); }) != "no complaint";
  };
  EXPECT_FALSE(refused(good));
  for (const std::string& text : {std::string(), std::string("[]"), std::string("{}"),
                                  std::string(1000, '['), good.substr(0, good.size() - 2)})
    EXPECT_TRUE(refused(text)) << text;
  Baseline wrong = example();
  wrong.variance = 0;
  EXPECT_TRUE(refused(baseline_note(wrong)));
  wrong = example();
  wrong.linear.weights = {1, 2};
  EXPECT_TRUE(refused(baseline_note(wrong)));
  wrong = example();
  wrong.shares = {0.5, 0.5};
  EXPECT_TRUE(refused(baseline_note(wrong)));
}

// Through a file, and by a copy.
TEST(BaselineNotes, AModelKeepsItsBaselines) {
  TableReader reader = people_reader(people(100, 1), rich_options());
  const TableModel model = TableModel::train(reader, small_model(4, 3));
  const TemporaryFolder folder;
  model.save(folder.file("model"));
  const Table test = people_table(people(60, 2), model.schema());
  const TableEvaluation wanted = model.evaluate(test);
  for (const TableEvaluation& found :
       {TableModel::load(folder.file("model")).evaluate(test), model.copy().evaluate(test)}) {
    ASSERT_EQ(found.baselines.size(), 2u);
    for (std::size_t b = 0; b < 2; ++b) {
      EXPECT_EQ(found.baselines[b].gain.value, wanted.baselines[b].gain.value);
      EXPECT_EQ(found.baselines[b].name, b == 0 ? "linear" : "base rate");
    }
  }
}

}  // namespace
}  // namespace postrider
