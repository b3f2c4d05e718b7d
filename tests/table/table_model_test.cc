#include "postrider/table_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <sstream>

#include "complaint.h"
#include "files.h"
#include "table/people.h"

namespace postrider {
using namespace internal;
namespace {

constexpr std::size_t kRows = 400;

TableModelOptions small() { return small_model(8, 15); }

TableModel trained(const TableOptions& table, const TableModelOptions& options = small()) {
  TableReader reader = people_reader(people(kRows, 1), table);
  return TableModel::train(reader, options);
}

TEST(TableModel, PredictsNumbersBetterThanTheirMean) {
  const TableModel model = trained(income_options());
  EXPECT_FALSE(model.classifies());
  EXPECT_EQ(model.target(), "income");
  ASSERT_NE(model.regressor(), nullptr);
  EXPECT_EQ(model.classifier(), nullptr);
  EXPECT_FALSE(model.indicators());
  EXPECT_EQ(model.features().size(), 4u);  // age, three towns
  const std::string others = people(kRows, 2);
  const TableEvaluation found = model.evaluate(people_table(others, model.schema()));
  EXPECT_EQ(found.rows, kRows);
  // The deviation of all incomes is 0.71, that of the noise 0.1; without an age, 0.58 is left.
  EXPECT_LT(found.root_mean_square_error.value, 0.35);
  EXPECT_GT(found.log_likelihood.value, -0.5);
  TableReader reader = people_reader(others, model.schema());
  const TableEvaluation chunked = model.evaluate(reader);
  EXPECT_EQ(chunked.root_mean_square_error.value, found.root_mean_square_error.value);
}

TEST(TableModel, IndicatorsAreInputsWhereTheyAreAskedFor) {
  TableModelOptions options = small();
  options.indicators = true;
  const TableModel model = trained(income_options(), options);
  EXPECT_TRUE(model.indicators());
  ASSERT_EQ(model.features().size(), 5u);  // age, its indicator, three towns
  EXPECT_EQ(model.features()[1].name, "age is missing");
}

TEST(TableModel, PredictsClassesByTheirNames) {
  const TableModel model = trained(rich_options());
  EXPECT_TRUE(model.classifies());
  EXPECT_EQ(model.classes(), (std::vector<std::string>{"no", "yes"}));
  const Table others = people_table(people(kRows, 2), model.schema());
  EXPECT_GT(model.evaluate(others).accuracy.value, 0.8);
  const TableModel::Prediction found = model.predict(others);
  ASSERT_EQ(found.classes(), 2u);
  EXPECT_EQ(found.most_probable().size(), kRows);
}

// The estimator behind it, given the same rows by hand.
TEST(TableModel, IsItsEstimatorBehindTheEncoding) {
  const TableModel model = trained(income_options());
  const Table table = people_table(people(kRows, 1), model.schema());
  Regressor by_hand(small().estimator);
  by_hand.fit(model.encode(table), table.column(model.schema().target()).numbers);
  const Forecast expected = by_hand.predict(model.encode(table));
  const TableModel::Prediction found = model.predict(table);
  EXPECT_EQ(found.mean, expected.mean);
  EXPECT_DOUBLE_EQ(found.std[7] * found.std[7], expected.variance[7]);
  EXPECT_DOUBLE_EQ(found.noise_std[7] * found.noise_std[7], expected.noise_variance[7]);
}

TEST(TableModel, TheHistoryTellsRowsAndEpochs) {
  std::string text = people(kRows, 1);
  text += "x,0.5,a,NA,NA\n";
  TableReader reader = people_reader(text, income_options());
  TableModel model = TableModel::train(reader, small());
  ASSERT_EQ(model.history().size(), 1u);
  const TableModel::Step& step = model.history()[0];
  EXPECT_EQ(step.kind, TableModel::Step::Kind::fit);
  EXPECT_EQ(step.rows, kRows);
  EXPECT_EQ(step.without_target, 1u);
  ASSERT_FALSE(step.fits.empty());
  EXPECT_FALSE(step.fits[0].epochs.empty());
  model.update(people_table(people(50, 3), model.schema()));
  TableReader more = people_reader(people(60, 4), model.schema());
  model.update(more);
  ASSERT_EQ(model.history().size(), 3u);
  EXPECT_EQ(model.history()[1].rows, 50u);
  EXPECT_EQ(model.history()[2].rows, 60u);
  EXPECT_EQ(model.history()[2].kind, TableModel::Step::Kind::update);
}

TEST(TableModel, ManyUpdatesDoNotMakeALongHistory) {
  TableModel model = trained(income_options(), small_model(4, 3));
  const Table one = people_table("age,town,income\n0.5,a,1\n0.1,b,\n", model.schema());
  for (int k = 0; k < 110; ++k) model.update(one);
  ASSERT_EQ(model.history().size(), 100u);
  EXPECT_EQ(model.history()[98].rows, 1u);
  EXPECT_EQ(model.history()[99].rows, 12u);
  EXPECT_EQ(model.history()[99].without_target, 12u);
  EXPECT_EQ(model.history()[99].stream.rows, 12u);
}

// However the rows are cut into calls, and with rows without targets between them.
TEST(TableModel, FollowsAStreamAndKnowsWhereItStands) {
  const TableModel begun = trained(income_options(), small_model(4, 3));
  const std::string head = "age,town,income\n", first = "0.5,a,1\n0.1,b,\n", second = "0.7,c,2\n";
  const auto table = [&](const std::string& rows) {
    return people_table(head + rows, begun.schema());
  };
  TableModel whole = begun.copy(), cut = begun.copy();
  whole.follow(table(first + second), {"sales", {{"0", "17"}, {"1", "4"}}});
  cut.follow(table(first), {"sales", {{"1", "4"}}});
  cut.follow(table("0.7,c,2\n"), {"sales", {{"0", "17"}}});
  std::stringstream one, other;
  whole.save(one);
  cut.save(other);
  EXPECT_EQ(one.str(), other.str());
  ASSERT_EQ(cut.history().size(), 2u);
  EXPECT_EQ(cut.history()[1].rows, 2u);
  EXPECT_EQ(cut.history()[1].without_target, 1u);
  const TableModel::StreamPosition expected{"sales", {{"0", "17"}, {"1", "4"}}};
  EXPECT_EQ(cut.position("sales"), expected);
  EXPECT_TRUE(cut.position("others").partitions.empty());
  // Through a file, after other steps, and without a target.
  const TemporaryFolder folder;
  cut.update(table(first));
  cut.save(folder.file("m"));
  TableModel loaded = TableModel::load(folder.file("m"));
  EXPECT_EQ(loaded.position("sales"), expected);
  loaded.follow(people_table("age,town\n0.5,a\n", begun.schema()), {"sales", {{"1", "5"}}});
  EXPECT_EQ(loaded.history().back().without_target, 1u);
  EXPECT_EQ(loaded.position("sales").partitions.at("1"), "5");
  EXPECT_EQ(loaded.position("sales").partitions.at("0"), "17");
}

TEST(TableModel, ACopyIsEqualAndLearnsForItself) {
  for (const TableOptions& target : {income_options(), rich_options()}) {
    TableReader reader = people_reader(people(60, 1), target);
    TableModel model = TableModel::train(reader, small_model(4, 3));
    TableModel copy = model.copy();
    std::stringstream ours, theirs, later;
    model.save(ours);
    copy.save(theirs);
    EXPECT_EQ(ours.str(), theirs.str());
    copy.update(people_table(people(5, 2), model.schema()));
    model.save(later);
    EXPECT_EQ(later.str(), ours.str());
    EXPECT_EQ(copy.estimator().rows_learned(), 65u);
  }
}

TEST(TableModel, AStreamLearnsInChunksWhatPartialFitWould) {
  TableOptions options = income_options();
  options.sample_rows = 100;
  options.chunk_rows = 50;
  TableReader reader = people_reader(people(kRows, 1), options);
  std::vector<std::size_t> rows;
  const TableModel model =
      TableModel::train_stream(reader, small(), [&](const TableModel::StreamProgress& progress) {
        rows.push_back(progress.rows);
        return true;
      });
  EXPECT_EQ(rows, (std::vector<std::size_t>{100, 150, 200, 250, 300, 350, 400}));
  EXPECT_EQ(model.history()[0].kind, TableModel::Step::Kind::stream);

  const Table table = people_table(people(kRows, 1), model.schema());
  const std::vector<double> inputs = model.encode(table);
  const std::vector<double>& targets = table.column(model.schema().target()).numbers;
  const std::size_t width = model.features().size();
  Regressor by_hand(small().estimator);
  for (std::size_t begin = 0, end = 100; begin < kRows; begin = end, end += 50)
    by_hand.partial_fit(std::span(inputs).subspan(begin * width, (end - begin) * width),
                        std::span(targets).subspan(begin, end - begin));
  EXPECT_EQ(model.predict(table).mean, by_hand.predict(inputs).mean);
}

TEST(TableModel, AStreamMayBeEnded) {
  TableOptions options = income_options();
  options.sample_rows = 100;
  options.chunk_rows = 50;
  TableReader reader = people_reader(people(kRows, 1), options);
  const TableModel::StreamCallback until_200 = [](const TableModel::StreamProgress& progress) {
    return progress.rows < 200;
  };
  EXPECT_EQ(TableModel::train_stream(reader, small(), until_200).history()[0].rows, 200u);
}

// Nothing is claimed of an unknown category, nor of a missing age: the prediction is wider.
TEST(TableModel, WhatIsNotKnownWidensThePrediction) {
  const TableModel model = trained(income_options());
  const auto deviation = [&](const std::string& row) {
    const std::string text = std::string("age,town\n").append(row).append("\n");
    return model.predict(people_table(text, model.schema())).std[0];
  };
  EXPECT_GT(deviation("0.5,atlantis"), 1.2 * deviation("0.5,b"));
  EXPECT_GT(deviation(",b"), 1.2 * deviation("0.5,b"));
}

TEST(TableModel, MeansCanStandInForMissingInputs) {
  TableModelOptions options = small();
  options.missing = TableModelOptions::Missing::mean;
  const TableModel model = trained(income_options(), options);
  ASSERT_EQ(model.features().size(), 4u);
  const Table table = people_table(people(kRows, 1), model.schema());
  double sum = 0, count = 0;
  for (const double age : table.column(1).numbers)
    if (!std::isnan(age)) {
      sum += age;
      count += 1;
    }
  const std::vector<double> inputs = model.encode(table);
  for (std::size_t row = 0; row < kRows; ++row)
    if (std::isnan(table.column(1).numbers[row])) {
      EXPECT_NEAR(inputs[row * 4], sum / count, 1e-12);
    }
}

TEST(TableModel, MistakesAreNamed) {
  const std::string text = people(kRows, 1);
  const auto train = [&](const TableOptions& options, const TableModelOptions& settings) {
    return complaint([&] {
      TableReader reader = people_reader(text, options);
      TableModel::train(reader, settings);
    });
  };
  EXPECT_EQ(train({}, small()), "target = \"\": must name the column that is to be predicted");
  EXPECT_EQ(train({.target = "rich", .ignored = {"age", "town", "income"}}, small()),
            "columns = 5: must have at least one input besides the target that is not ignored");
  TableModelOptions two = small();
  two.estimator.outputs = 2;
  EXPECT_EQ(train(income_options(), two), "outputs = 2: must be 1, since a table has one target");

  TableModel model = trained(rich_options());
  EXPECT_EQ(
      complaint([&] {
        model.update(people_table("age,town,rich\n1,a,yes\n1,a,maybe\n", model.schema()));
      }),
      "target = \"rich\": must have classes that the model knows: \"no\", \"yes\"; line 3 has "
      "another");
  EXPECT_EQ(complaint([&] { model.evaluate(people_table("age,town\n1,a\n", model.schema())); }),
            "target = \"rich\": must be a column of the table");
  EXPECT_EQ(
      complaint([&] { model.evaluate(people_table("age,town,rich\n1,a,?\n", model.schema())); }),
      "target = \"rich\": must have a value in at least one row");
  Schema other = model.schema();
  other.columns[1].name = "years";
  EXPECT_EQ(complaint([&] { model.predict(people_table("years,town\n1,a\n", other)); }),
            "table = 5: must have the columns of the model: read it with the model's schema");
}

TEST(TableModel, NoRowsGiveNoPredictions) {
  const TableModel model = trained(income_options());
  EXPECT_EQ(model.predict(people_table("age,town\n", model.schema())).rows, 0u);
}

// An estimator that was given arrays, as a model of a table.
TEST(TableNotes, MakeAnEstimatorsFileAModel) {
  const TemporaryFolder folder;
  const std::string path = folder.file("model.safetensors");
  const std::vector<double> x{1, 2, 3, 4, 5, 6, 7, 8}, y{1, 3, 2, 5};
  const std::vector<std::size_t> labels{0, 1, 0, 1};
  Schema schema{{{.name = "a"}, {.name = "b"}, {.name = "c", .target = true}}};

  Regressor regressor({.hidden = {3}, .training = {.max_epochs = 2}});
  const std::vector<TableModel::Step> history{
      {TableModel::Step::Kind::fit, 4, 0, regressor.fit(x, y)}};
  regressor.save(path, table_notes(schema, history));
  const TableModel model = TableModel::load(path);
  EXPECT_EQ(model.schema(), schema);
  EXPECT_EQ(model.history().front().fits.size(), regressor.ensemble_size());
  const Table table(schema, {{.numbers = {1, 3, 5, 7}}, {.numbers = {2, 4, 6, 8}}, {}});
  EXPECT_EQ(model.predict(table).mean, regressor.predict(x).mean);
  const TableModel::Notes read = read_table_notes(model.regressor()->notes());
  EXPECT_EQ(read.schema, schema);
  EXPECT_EQ(read.features.size(), 2u);
  EXPECT_EQ(read.history.front().rows, 4u);

  schema.columns.back() = {.name = "c",
                           .kind = ColumnSchema::Kind::categorical,
                           .target = true,
                           .categories = {"no", "yes"}};
  Classifier classifier({.hidden = {3}, .classes = 2, .training = {.max_epochs = 2}});
  classifier.fit(x, labels);
  classifier.save(path, table_notes(schema, {}));
  EXPECT_EQ(TableModel::load(path).classes(), (std::vector<std::string>{"no", "yes"}));
  EXPECT_TRUE(TableModel::load(path).history().empty());
  EXPECT_EQ(TableModel::load(path).misfit(), "")
      << "a model without a history has seen nothing odd";
}

TEST(TableNotes, MistakesAreNamed) {
  const Schema words{{{.name = "a", .kind = ColumnSchema::Kind::categorical, .categories = {"x"}}}};
  EXPECT_EQ(complaint([&] { table_notes(words, {}); }),
            "target = \"\": must name the column that is to be predicted");
  EXPECT_THROW(read_table_notes({}), Error);
}

// LIBSVM text of many columns: zeros stay zeros, and a table of all rows gives the same model.
TEST(TableModel, WideTextIsLearnedWithoutItsZeros) {
  std::string text;
  RandomStream random(2, 0);
  for (std::size_t row = 0; row < 250; ++row) {
    std::size_t sum = 0;
    std::string pairs;
    for (std::size_t column = 1; column <= 150; ++column)
      if (random.uniform() < 0.05 || (row == 0 && column == 150)) {
        const std::size_t value = 1 + random.below(3);
        pairs += " " + std::to_string(column) + ":" + std::to_string(value);
        if (column % 2 == 0) sum += value;
      }
    text += std::to_string(sum) + pairs + "\n";
  }
  const TableOptions options{
      .format = TableOptions::Format::libsvm, .sample_rows = 50, .chunk_rows = 40};
  const auto reader = [&] { return table_reader_of(memory_bytes(text, "wide"), "wide", options); };
  TableModelOptions how = small();
  how.estimator.encoding = Encoding::chosen;
  TableReader chunks = reader();
  std::vector<std::size_t> seen;
  const TableModel model =
      TableModel::train(chunks, how, {}, [&](const Table& chunk) { seen.push_back(chunk.rows()); });
  EXPECT_GT(seen.size(), 2U);
  EXPECT_EQ(seen.back(), 0U);
  EXPECT_EQ(std::accumulate(seen.begin(), seen.end(), std::size_t{0}), 250U);
  for (const ColumnEncoding& column : model.estimator().encodings()) {
    EXPECT_EQ(column.kind, Encoding::standard);
    EXPECT_EQ(column.mean, 0);
  }
  TableReader again = reader();
  Table chunk;
  ASSERT_TRUE(again.next(chunk));
  const std::size_t columns = model.features().size();
  SparseInputs by_hand{.columns = columns};
  const std::vector<double> numbers = model.encode(chunk);
  for (std::size_t at = 0; at < numbers.size(); ++at) {
    if (numbers[at] != 0) by_hand.add(at % columns, numbers[at]);
    if ((at + 1) % columns == 0) by_hand.end_row();
  }
  EXPECT_EQ(model.predict(chunk).mean, model.regressor()->predict(by_hand).mean);
  EXPECT_EQ(model.predict(chunk).mean, model.regressor()->predict(numbers).mean);
}

}  // namespace
}  // namespace postrider
