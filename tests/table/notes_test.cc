// The model file: what is written is read back, and what is damaged is refused.
#include "table/notes.h"

#include <gtest/gtest.h>

#include <cmath>

#include "data/safetensors.h"
#include "files.h"
#include "table/people.h"

namespace postrider {
using namespace internal;
namespace {

TableModelOptions small() { return small_model(4, 3); }

TableModel trained(const TableOptions& table, const TableModelOptions& options = small()) {
  TableReader reader = people_reader(people(100, 1), table);
  return TableModel::train(reader, options);
}

void expect_same(const TableModel& found, const TableModel& expected) {
  EXPECT_EQ(found.schema(), expected.schema());
  EXPECT_EQ(found.features(), expected.features());
  EXPECT_EQ(found.missing(), expected.missing());
  ASSERT_EQ(found.history().size(), expected.history().size());
  for (std::size_t k = 0; k < found.history().size(); ++k) {
    const TableModel::Step &a = found.history()[k], &b = expected.history()[k];
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(a.rows, b.rows);
    EXPECT_EQ(a.copies, b.copies);
    EXPECT_EQ(a.words, b.words);
    ASSERT_EQ(a.fits.size(), b.fits.size());
    for (std::size_t f = 0; f < a.fits.size(); ++f) {
      EXPECT_EQ(a.fits[f].best_epoch, b.fits[f].best_epoch);
      EXPECT_EQ(a.fits[f].reason, b.fits[f].reason);
      ASSERT_EQ(a.fits[f].epochs.size(), b.fits[f].epochs.size());
      for (std::size_t e = 0; e < a.fits[f].epochs.size(); ++e) {
        EXPECT_EQ(a.fits[f].epochs[e].score, b.fits[f].epochs[e].score);
        EXPECT_EQ(a.fits[f].epochs[e].noise_variance, b.fits[f].epochs[e].noise_variance);
      }
    }
  }
  const Table table = people_table(people(50, 2), expected.schema());
  EXPECT_EQ(found.predict(table).mean, expected.predict(table).mean);
  EXPECT_EQ(found.predict(table).std, expected.predict(table).std);
  EXPECT_EQ(found.predict(table).probabilities, expected.predict(table).probabilities);
}

TEST(Notes, ModelsAreReadBackAsTheyWereWritten) {
  const TemporaryFolder folder;
  const std::string path = folder.file("model.safetensors");
  TableModelOptions means = small();
  means.missing = TableModelOptions::Missing::mean;
  TableModelOptions varying = small();
  varying.estimator.varying_noise = true;
  varying.indicators = true;
  varying.words = {"--categorical", "town"};
  for (const TableOptions& table : {income_options(), rich_options()})
    for (const TableModelOptions& options : {small(), means, varying}) {
      TableModel model = trained(table, options);
      model.update(people_table(people(30, 3), model.schema()));
      model.save(path);
      TableModel loaded = TableModel::load(path);
      expect_same(loaded, model);
      EXPECT_EQ(folder.files(), 1u);
      const std::string bytes = bytes_of(path);
      loaded.save(path);
      EXPECT_EQ(bytes_of(path), bytes);
    }
}

TEST(Notes, CopiesAndWordsAreKept) {
  const TemporaryFolder folder;
  TableModelOptions options = small();
  options.words = {"--na", "-999"};
  const std::string rows = people(30, 1);
  TableReader reader = people_reader(rows + rows.substr(rows.find('\n') + 1), income_options());
  TableModel::train(reader, options).save(folder.file("m"));
  const TableModel::Step step = TableModel::load(folder.file("m")).history().front();
  EXPECT_EQ(step.copies, 30u);
  EXPECT_EQ(step.words, options.words);
}

TEST(Notes, ALoadedModelGoesOnLearning) {
  const TemporaryFolder folder;
  const std::string path = folder.file("model.safetensors");
  TableModel model = trained(income_options());
  model.save(path);
  TableModel loaded = TableModel::load(path);
  for (TableModel* each : {&model, &loaded})
    each->update(people_table(people(50, 3), model.schema()));
  expect_same(loaded, model);
}

TEST(Notes, NamesMayBeAnyText) {
  const TemporaryFolder folder;
  const std::string path = folder.file("model.safetensors");
  std::string text = "\"a \"\"b\"\"\n\",\xc3\xa9t\xc3\xa9,y\n";
  for (int row = 0; row < 20; ++row)
    text.append(std::to_string(row)).append(row % 3 == 0 ? ",\"x,\n\",0.5\n" : ",\xe2\x82\xac,1\n");
  TableReader reader = people_reader(text, {.target = "y"});
  const TableModel model = TableModel::train(reader, small());
  model.save(path);
  EXPECT_EQ(TableModel::load(path).schema(), model.schema());
}

// A table with what older programs did not know.
std::string sales(std::size_t rows) {
  std::string out = "when;price;shop;y\n";
  for (std::size_t row = 0; row < rows; ++row)
    out += std::to_string(1 + row % 28) + ".11.2026;\"" + std::to_string(row) + ",5 €\";shop " +
           std::to_string(row / 3) + ";" + std::to_string(row) + "\n";
  return out + "?;7O;shop 0;k.A.\n";
}

TEST(Notes, FormsUnitsDatesAndSharedInputsAreKept) {
  const TemporaryFolder folder;
  const std::string path = folder.file("model.safetensors");
  TableReader reader =
      people_reader(sales(60), TableOptions{.target = "y", .na = {"k.A."}, .most_categories = 10});
  const Schema schema = reader.schema();
  EXPECT_EQ(schema.columns[0].kind, ColumnSchema::Kind::date);
  EXPECT_EQ(schema.columns[1].form, ColumnSchema::Form::decimal_comma);
  EXPECT_EQ(schema.columns[1].odd, (std::vector<std::string>{"7O"}));
  EXPECT_GT(schema.columns[2].hashed, 0u);
  const TableModel model = TableModel::train(reader, small());
  EXPECT_EQ(model.history().back().without_target, 1u);
  model.save(path);
  const TableModel loaded = TableModel::load(path);
  EXPECT_EQ(loaded.schema(), schema);
  EXPECT_EQ(loaded.features(), model.features());
  const std::string table = Regressor::load(path).notes().at("table");
  EXPECT_EQ(table.find("{\"version\":2,"), 0u);
  const std::string later = "when;price;shop\n3.12.2026;7O;new\n4.12.2026;1.234,5;shop 3\n";
  EXPECT_EQ(loaded.predict(people_table(later, loaded.schema())).mean,
            model.predict(people_table(later, schema)).mean);
}

TEST(Notes, AnEstimatorAloneIsNoTable) {
  const TemporaryFolder folder;
  const std::string path = folder.file("model.safetensors");
  Regressor regressor({.hidden = {2}, .training = {.max_epochs = 2}});
  regressor.fit(std::vector<double>{1, 2, 3}, std::vector<double>{1, 2, 4});
  regressor.save(path);
  EXPECT_EQ(trouble([&] { TableModel::load(path); }),
            "cannot read the model " + path + ": it has no table; an estimator alone wrote it");
}

TEST(Notes, WhatMakesNoSenseIsRefused) {
  const TableModel model = trained(income_options());
  const TemporaryFolder folder;
  const std::string path = folder.file("model.safetensors");
  model.save(path);
  const Notes good = Regressor::load(path).notes();
  EXPECT_EQ(trouble([&] { read_notes(path, good); }), "no trouble");
  const auto changed = [&](const std::string& from, const std::string& to) {
    Notes notes = good;
    std::string& table = notes["table"];
    const std::size_t at = table.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    table.replace(at, from.size(), to);
    return trouble([&] { read_notes(path, notes); });
  };
  const std::string malformed =
      "cannot read the model " + path + ": what it says of its table is malformed";
  EXPECT_EQ(changed("\"version\":1", "\"version\":3"),
            "cannot read the model " + path +
                ": its table is of version 3, and this program reads versions 1 to 2");
  EXPECT_EQ(changed("\"version\":1", "\"version\":1e300"), malformed);
  EXPECT_EQ(changed("vague", "vogue"), malformed);
  EXPECT_EQ(changed("\"means\":[]", "\"means\":[1]"), malformed);
  EXPECT_EQ(changed("\"indicators\":false", "\"indicators\":\"yes\""), malformed);
  EXPECT_EQ(changed("{", ""), malformed);
  EXPECT_NE(changed("\"target\":true", "\"target\":false"), "no trouble");
  EXPECT_NE(changed("\"kind\":\"numeric\"", "\"kind\":\"date\""), "no trouble");
  EXPECT_EQ(changed("\"kind\":\"numeric\"", "\"kind\":\"colour\""), malformed);
  EXPECT_EQ(changed("\"target\":true", "\"target\":true,\"form\":\"roman\""), malformed);
  EXPECT_NE(changed("\"target\":true", "\"target\":true,\"hashed\":99"), "no trouble");
  EXPECT_NE(changed("\"name\":\"town\"", "\"name\":\"age\""), "no trouble");
}

TEST(Notes, TableAndNetworkMustFit) {
  const TemporaryFolder folder;
  const std::string path = folder.file("model.safetensors"), other = folder.file("other");
  trained(income_options()).save(path);
  trained(rich_options()).save(other);
  const Regressor regressor = Regressor::load(path);
  regressor.save(path, Classifier::load(other).notes());
  EXPECT_EQ(trouble([&] { TableModel::load(path); }),
            "cannot read the model " + path + ": its network does not fit its table");
}

TEST(Notes, DamagedFilesAreRefusedOrStillModels) {
  const TemporaryFolder folder;
  const std::string path = folder.file("model.safetensors");
  RandomStream random(8, 0);
  std::size_t refused = 0;
  constexpr std::size_t kFiles = 1500;
  for (const TableOptions& table : {income_options(), rich_options()}) {
    trained(table).save(path);
    const std::string bytes = bytes_of(path);
    for (std::size_t k = 0; k < kFiles; ++k) {
      // A name of its own: file systems may wait for the disk when a file is replaced.
      const std::string name = folder.file(std::to_string(k));
      write_bytes(name, damaged(bytes, random));
      const std::string message = trouble([&] {
        const TableModel model = TableModel::load(name);
        model.predict(
            Table(model.schema(), std::vector<Table::Column>(model.schema().columns.size())));
      });
      std::filesystem::remove(name);
      if (message == "no trouble") continue;
      ++refused;
      EXPECT_NE(message.find(name), std::string::npos) << message;
    }
  }
  EXPECT_GT(refused, kFiles / 2);
}

}  // namespace
}  // namespace postrider
