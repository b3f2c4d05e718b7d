#include "postrider/c_api.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "files.h"
#include "postrider/version.h"
#include "table/people.h"

namespace postrider {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kColumns = 5;  // name, age, town, income, rich

class CApi : public testing::Test {
 protected:
  CApi() {
    for (const bool classifies : {false, true}) {
      TableReader reader =
          people_reader(people(120, 1), classifies ? rich_options() : income_options());
      TableModel::train(reader, small_model(4, 3)).save(path(classifies));
    }
  }
  std::string path(bool classifies) const { return folder_.file(classifies ? "rich" : "income"); }

  // The same rows as cells and as a table; of the target nothing.
  static std::vector<postrider_cell> cells() {
    return {{0, "Ann"}, {0.25, nullptr},     {0, "a"}, {kMissing, nullptr}, {kMissing, nullptr},
            {0, "Bob"}, {0, "0.75"},         {0, "b"}, {kMissing, nullptr}, {kMissing, nullptr},
            {0, ""},    {kMissing, nullptr}, {0, "?"}, {kMissing, nullptr}, {kMissing, nullptr}};
  }
  static Table table(const TableModel& model) {
    return people_table("name,age,town\nAnn,0.25,a\nBob,0.75,b\n,,?\n", model.schema());
  }

  TemporaryFolder folder_;
};

TEST_F(CApi, TellsWhatAModelIs) {
  EXPECT_STREQ(postrider_version(), kVersion);
  postrider_model* model = postrider_load(path(true).c_str(), nullptr);
  ASSERT_NE(model, nullptr);
  ASSERT_EQ(postrider_columns(model), kColumns);
  EXPECT_STREQ(postrider_column_name(model, 1), "age");
  EXPECT_EQ(postrider_column_name(model, kColumns), nullptr);
  EXPECT_EQ(postrider_target(model), 4u);
  ASSERT_EQ(postrider_classes(model), 2u);
  EXPECT_STREQ(postrider_class_name(model, 0), "no");
  EXPECT_STREQ(postrider_class_name(model, 1), "yes");
  EXPECT_EQ(postrider_class_name(model, 2), nullptr);
  EXPECT_EQ(postrider_rows_learned(model), 120u);
  postrider_free(model);
}

TEST_F(CApi, PredictsAsTheModelDoes) {
  const TableModel expected = TableModel::load(path(false));
  postrider_model* model = postrider_load(path(false).c_str(), nullptr);
  postrider_error error;
  double mean[3], std[3], low[3], high[3];
  std::vector<postrider_cell> rows = cells();
  rows[3] = {0, "the target is not looked at"};
  ASSERT_EQ(postrider_predict(model, rows.data(), 3, mean, std, &error), POSTRIDER_OK);
  EXPECT_EQ(error.status, POSTRIDER_OK);
  EXPECT_STREQ(error.message, "");
  ASSERT_EQ(postrider_predict_interval(model, cells().data(), 3, 0.8, low, high, nullptr),
            POSTRIDER_OK);
  const TableModel::Prediction found = expected.predict(table(expected));
  const std::vector<double> bounds = found.intervals(0.8);
  for (std::size_t row = 0; row < 3; ++row) {
    EXPECT_EQ(mean[row], found.mean[row]);
    EXPECT_EQ(std[row], found.std[row]);
    EXPECT_EQ(low[row], bounds[2 * row]);
    EXPECT_EQ(high[row], bounds[2 * row + 1]);
  }
  EXPECT_EQ(postrider_predict(model, cells().data(), 3, mean, nullptr, nullptr), POSTRIDER_OK);
  EXPECT_EQ(postrider_predict(model, nullptr, 0, nullptr, nullptr, nullptr), POSTRIDER_OK);
  postrider_free(model);
}

TEST_F(CApi, PredictsClassesAsTheModelDoes) {
  const TableModel expected = TableModel::load(path(true));
  postrider_model* model = postrider_load(path(true).c_str(), nullptr);
  double probabilities[6];
  ASSERT_EQ(postrider_predict_probabilities(model, cells().data(), 3, probabilities, nullptr),
            POSTRIDER_OK);
  EXPECT_EQ(std::vector<double>(probabilities, probabilities + 6),
            expected.predict(table(expected)).probabilities);
  postrider_free(model);
}

TEST_F(CApi, LearnsAndSavesAsTheModelDoes) {
  TableModel expected = TableModel::load(path(false));
  postrider_model* model = postrider_load(path(false).c_str(), nullptr);
  std::vector<postrider_cell> rows = cells();
  rows[3] = {1.5, nullptr};
  rows[kColumns + 3] = {0, "0.5"};
  ASSERT_EQ(postrider_learn(model, rows.data(), 3, nullptr), POSTRIDER_OK);
  EXPECT_EQ(postrider_rows_learned(model), 122u);
  expected.update(people_table("name,age,town,income\nAnn,0.25,a,1.5\nBob,0.75,b,0.5\n,,?,\n",
                               expected.schema()));
  ASSERT_EQ(postrider_save(model, folder_.file("ours").c_str(), nullptr), POSTRIDER_OK);
  expected.save(folder_.file("theirs"));
  EXPECT_EQ(bytes_of(folder_.file("ours")), bytes_of(folder_.file("theirs")));
  postrider_free(model);
}

TEST_F(CApi, TellsWhatIsWrong) {
  postrider_error error;
  const auto expect_failure = [&](postrider_status found, postrider_status status,
                                  const char* part) {
    EXPECT_EQ(found, status) << error.message;
    EXPECT_EQ(error.status, status);
    EXPECT_NE(std::strstr(error.message, part), nullptr) << error.message;
  };
  EXPECT_EQ(postrider_load(folder_.file("none").c_str(), &error), nullptr);
  expect_failure(error.status, POSTRIDER_FILE_ERROR, "none");
  std::ofstream(folder_.file("damaged")) << "not a model";
  EXPECT_EQ(postrider_load(folder_.file("damaged").c_str(), &error), nullptr);
  expect_failure(error.status, POSTRIDER_CORRUPT, "damaged");
  EXPECT_EQ(postrider_load(nullptr, &error), nullptr);
  expect_failure(error.status, POSTRIDER_INVALID_ARGUMENT, "path");

  postrider_model* model = postrider_load(path(false).c_str(), &error);
  ASSERT_NE(model, nullptr);
  double out[3];
  std::vector<postrider_cell> rows = cells();
  rows[1] = {0, "old"};
  expect_failure(postrider_predict(model, rows.data(), 3, out, nullptr, &error), POSTRIDER_CORRUPT,
                 "row 1: column \"age\": \"old\"");
  expect_failure(postrider_learn(model, rows.data(), 3, &error), POSTRIDER_CORRUPT, "age");
  EXPECT_EQ(postrider_rows_learned(model), 120u);
  expect_failure(postrider_predict_probabilities(model, cells().data(), 3, out, &error),
                 POSTRIDER_INVALID_ARGUMENT, "postrider_predict()");
  expect_failure(postrider_predict_interval(model, cells().data(), 3, 2, out, out, &error),
                 POSTRIDER_INVALID_ARGUMENT, "2");
  expect_failure(postrider_predict(model, nullptr, 3, out, nullptr, &error),
                 POSTRIDER_INVALID_ARGUMENT, "cells");
  expect_failure(postrider_predict(nullptr, cells().data(), 3, out, nullptr, &error),
                 POSTRIDER_INVALID_ARGUMENT, "model");
  expect_failure(postrider_save(model, folder_.file("no/such/folder").c_str(), &error),
                 POSTRIDER_FILE_ERROR, "no/such/folder");
  postrider_free(model);
  postrider_free(nullptr);
  EXPECT_EQ(postrider_columns(nullptr), 0u);
}

// Cut where a character ends.
TEST_F(CApi, LongMessagesAreShortened) {
  std::string name;
  for (int k = 0; k < 600; ++k) name += "ä";
  for (const char* front : {"", "x"}) {
    postrider_error error;
    EXPECT_EQ(postrider_load((front + name).c_str(), &error), nullptr);
    const std::string_view message = error.message;
    EXPECT_GE(message.size(), POSTRIDER_MESSAGE_BYTES - 2u);
    EXPECT_EQ(message.substr(message.size() - 2), "ä");
  }
}

}  // namespace
}  // namespace postrider
