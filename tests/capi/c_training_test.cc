#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "files.h"
#include "postrider/c_api.h"
#include "postrider/table_model.h"

namespace postrider {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kRows = 60;

// Areas, sides of which each seventh is missing, a code of few numbers, and a price made of all.
class CTraining : public testing::Test {
 protected:
  CTraining() {
    for (std::size_t row = 0; row < kRows; ++row) {
      area_.push_back(row % 11 == 10 ? kMissing : 40 + static_cast<double>(row * 37 % 100));
      side_.push_back(row % 7 == 6 ? nullptr : row % 3 == 0 ? "north" : "south");
      code_.push_back(static_cast<double>(row % 5));
      price_.push_back(100 + static_cast<double>(row * 37 % 100) + 10 * code_.back());
      few_.push_back(static_cast<double>(row % 2));
    }
  }

  std::vector<postrider_column> columns(int code = POSTRIDER_INFERRED) const {
    return {{"area", area_.data(), nullptr, POSTRIDER_INFERRED},
            {"side", nullptr, side_.data(), POSTRIDER_INFERRED},
            {"code", code_.data(), nullptr, code},
            {"price", price_.data(), nullptr, POSTRIDER_INFERRED}};
  }
  static constexpr postrider_option kQuick[] = {{"hidden", "4"},
                                                {"max_epochs", "3"},
                                                {"ensemble_size", "2"},
                                                {"encoding", "standard"},
                                                {"power", "1"}};

  postrider_model* train(const std::vector<postrider_column>& columns, const char* target = "price",
                         postrider_stop stop = nullptr, void* context = nullptr) {
    return postrider_train(columns.data(), columns.size(), kRows, target, kQuick, std::size(kQuick),
                           stop, context, &error_);
  }

  // The same rows as a file, by the reader of files.
  TableModel expected(TableOptions reading) const {
    TemporaryFolder folder;
    {
      std::ofstream file(folder.file("rows.csv"));
      file << "area,side,code,price\n";
      for (std::size_t row = 0; row < kRows; ++row) {
        if (!std::isnan(area_[row])) file << area_[row];
        file << ',' << (side_[row] == nullptr ? "" : side_[row]) << ',' << code_[row] << ','
             << price_[row] << '\n';
      }
    }
    reading.target = "price";
    TableReader reader(folder.file("rows.csv"), reading);
    TableModelOptions options;
    options.estimator.hidden = {4};
    options.estimator.training.max_epochs = 3;
    options.estimator.ensemble_size = 2;
    options.estimator.encoding = Encoding::standard;
    options.estimator.power = 1;
    return TableModel::train(reader, options);
  }

  std::vector<double> area_, code_, price_, few_;
  std::vector<const char*> side_;
  postrider_error error_{};
};

std::string saved(const TableModel& model) {
  std::ostringstream to;
  model.save(to);
  return to.str();
}

std::string saved(const postrider_model* model) {
  std::size_t size = 0;
  char* const bytes = postrider_save_bytes(model, &size, nullptr);
  std::string out(bytes, size);
  postrider_free_bytes(bytes);
  return out;
}

TEST_F(CTraining, LearnsWhatTheReaderOfFilesWouldHaveLearned) {
  for (const postrider_kind kind : {POSTRIDER_INFERRED, POSTRIDER_CATEGORICAL, POSTRIDER_IGNORED}) {
    TableOptions reading;
    if (kind == POSTRIDER_CATEGORICAL) reading.categorical = {"code"};
    if (kind == POSTRIDER_IGNORED) reading.ignored = {"code"};
    const TableModel other = expected(reading);
    postrider_model* model = train(columns(kind));
    ASSERT_NE(model, nullptr) << error_.message;
    EXPECT_EQ(saved(model), saved(other)) << kind;
    const char* const names[] = {"numeric", "categorical", "ignored"};
    EXPECT_STREQ(postrider_column_kind(model, 2), names[kind == POSTRIDER_INFERRED ? 0 : kind - 1]);
    EXPECT_EQ(postrider_column_kind(model, 4), nullptr);
    double score = 0, error = 0;
    postrider_out_of_fold_score(model, &score, &error);
    EXPECT_EQ(score, other.estimator().out_of_fold_score()->log_likelihood);
    EXPECT_EQ(error, other.estimator().out_of_fold_score()->standard_error);
    postrider_free(model);
  }
}

TEST_F(CTraining, KindOfTheTargetIsItsTask) {
  for (const bool classes : {false, true}) {
    std::vector<postrider_column> given = columns();
    given[3] = {"price", few_.data(), nullptr, classes ? POSTRIDER_CATEGORICAL : POSTRIDER_NUMERIC};
    postrider_model* model = train(given);
    ASSERT_NE(model, nullptr) << error_.message;
    EXPECT_EQ(postrider_classes(model), classes ? 2u : 0u);
    postrider_free(model);
  }
}

TEST_F(CTraining, WeightsCountAndAreNoInput) {
  std::vector<postrider_column> given = columns();
  given[2] = {"code", few_.data(), nullptr, POSTRIDER_WEIGHTS};
  for (double& each : few_) each -= 1;
  EXPECT_EQ(train(given), nullptr);
  EXPECT_STREQ(error_.message,
               "the rows given, row 1: the weight \"-1\" must be a number of at least 0");
  for (double& each : few_) each += 2;
  postrider_model* model = train(given);
  ASSERT_NE(model, nullptr) << error_.message;
  EXPECT_STREQ(postrider_column_kind(model, 2), "ignored");
  EXPECT_EQ(postrider_rows_learned(model), kRows * 3 / 2);  // of weights 1 and 2 in turn
  postrider_free(model);
  given[0].kind = POSTRIDER_WEIGHTS;
  EXPECT_EQ(train(given), nullptr);
  EXPECT_NE(std::strstr(error_.message, "must be one column"), nullptr) << error_.message;
}

TEST_F(CTraining, BytesAreThoseOfTheFile) {
  postrider_model* model = train(columns());
  ASSERT_NE(model, nullptr) << error_.message;
  const TemporaryFolder folder;
  ASSERT_EQ(postrider_save(model, folder.file("m").c_str(), nullptr), POSTRIDER_OK);
  const std::string bytes = saved(model);
  EXPECT_EQ(bytes, bytes_of(folder.file("m")));
  postrider_model* again = postrider_load_bytes(bytes.data(), bytes.size(), nullptr);
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(saved(again), bytes);
  postrider_free(again);
  postrider_free(model);

  // Each beginning, and each with a byte turned, is refused or loaded, and never more.
  for (std::size_t size = 0; size < bytes.size(); size += 1 + size / 8) {
    EXPECT_EQ(postrider_load_bytes(bytes.data(), size, &error_), nullptr) << size;
    EXPECT_EQ(error_.status, POSTRIDER_CORRUPT) << error_.message;
  }
  EXPECT_EQ(postrider_load_bytes(nullptr, 0, &error_), nullptr);
  EXPECT_EQ(error_.status, POSTRIDER_INVALID_ARGUMENT);
  EXPECT_EQ(postrider_save_bytes(nullptr, nullptr, &error_), nullptr);
}

TEST_F(CTraining, AllAtOnceAreTheSameAsApart) {
  postrider_model* model = train(columns());
  ASSERT_NE(model, nullptr) << error_.message;
  const postrider_cell row[] = {{77, nullptr}, {0, "north"}, {3, nullptr}, {kMissing, nullptr}};
  double mean[2], std[2], noise, low[2], high[2];
  ASSERT_EQ(postrider_predict(model, row, 1, mean, std, nullptr), POSTRIDER_OK);
  ASSERT_EQ(postrider_predict_interval(model, row, 1, 0.7, low, high, nullptr), POSTRIDER_OK);
  ASSERT_EQ(postrider_predict_all(model, row, 1, 0.7, mean + 1, std + 1, &noise, low + 1, high + 1,
                                  nullptr),
            POSTRIDER_OK);
  EXPECT_EQ(mean[0], mean[1]);
  EXPECT_EQ(std[0], std[1]);
  EXPECT_EQ(low[0], low[1]);
  EXPECT_EQ(high[0], high[1]);
  EXPECT_GT(noise, 0);
  EXPECT_LT(noise, std[0]);
  EXPECT_EQ(postrider_predict_all(model, row, 1, 0.7, nullptr, nullptr, nullptr, nullptr, nullptr,
                                  nullptr),
            POSTRIDER_OK);
  EXPECT_EQ(
      postrider_predict_all(model, row, 1, 7, nullptr, nullptr, nullptr, low, nullptr, &error_),
      POSTRIDER_INVALID_ARGUMENT);
  postrider_free(model);
}

struct Asked {
  int left = 0;
  std::thread::id caller = std::this_thread::get_id();
  bool by_others = false;
};

int stops_after(void* context) {
  Asked& asked = *static_cast<Asked*>(context);
  asked.by_others = asked.by_others || std::this_thread::get_id() != asked.caller;
  return --asked.left < 0;
}

TEST_F(CTraining, TheCallerEndsItFromItsOwnThread) {
  const postrider_option options[] = {{"hidden", "20"}, {"threads", "2"}, {"max_epochs", "2000"}};
  const std::vector<postrider_column> given = columns();
  for (const int left : {0, 3, 9}) {
    Asked asked{left};
    EXPECT_EQ(postrider_train(given.data(), given.size(), kRows, "price", options,
                              std::size(options), stops_after, &asked, &error_),
              nullptr);
    EXPECT_NE(std::strstr(error_.message, "interrupted"), nullptr) << error_.message;
    EXPECT_LT(asked.left, 0);
    EXPECT_FALSE(asked.by_others);
  }
}

TEST_F(CTraining, TellsWhatIsWrong) {
  const auto expect_refused = [&](const std::vector<postrider_column>& given, const char* target,
                                  const std::vector<postrider_option>& options, const char* part) {
    EXPECT_EQ(postrider_train(given.data(), given.size(), kRows, target, options.data(),
                              options.size(), nullptr, nullptr, &error_),
              nullptr);
    EXPECT_EQ(error_.status, POSTRIDER_INVALID_ARGUMENT) << error_.message;
    EXPECT_NE(std::strstr(error_.message, part), nullptr) << error_.message;
  };
  expect_refused(columns(), "cost", {}, "cost");
  expect_refused(columns(), nullptr, {}, "target");
  expect_refused(columns(), "price", {{"epochs", "3"}}, "option = \"epochs\": must be one of");
  expect_refused(columns(), "price", {{"max_epochs", "many"}}, "max_epochs = \"many\"");
  expect_refused(columns(), "price", {{"power", "-1"}}, "power = -1");
  expect_refused(columns(), "price", {{"power", nullptr}}, "value of an option");
  std::vector<postrider_column> given = columns();
  given[1] = {"side", nullptr, nullptr, POSTRIDER_INFERRED};
  expect_refused(given, "price", {}, "column \"side\": must have numbers or texts");
  given[1] = {nullptr, area_.data(), nullptr, POSTRIDER_INFERRED};
  expect_refused(given, "price", {}, "name of a column");
  given = columns(9);
  expect_refused(given, "price", {}, "code");
  EXPECT_EQ(postrider_train(nullptr, 1, 1, "price", nullptr, 0, nullptr, nullptr, nullptr),
            nullptr);
  area_[3] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(train(columns()), nullptr);
  EXPECT_NE(std::strstr(error_.message, "area"), nullptr) << error_.message;
}

}  // namespace
}  // namespace postrider
