#include "web/playground.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "postrider/error.h"

namespace postrider::cli {
namespace {

using Json = nlohmann::json;

// y is 3 x, five more where the kind is red, and a little noise that repeats.
std::string table(std::size_t rows) {
  std::ostringstream out;
  out << "x,kind,y\n";
  for (std::size_t i = 0; i < rows; ++i) {
    const double x = static_cast<double>(i % 29) / 10;
    const double noise = static_cast<double>((i * 37) % 11) / 50 - 0.1;
    out << x << ',' << (i % 2 == 0 ? "red" : "blue") << ',' << 3 * x + (i % 2 == 0 ? 5 : 0) + noise
        << '\n';
  }
  return out.str();
}

constexpr std::size_t kRows = 120;
constexpr double kQuarter = 0.25;
constexpr const char* kQuick = R"({"validation": 0.25, "effort": "quick"})";

class PlaygroundTest : public testing::Test {
 protected:
  Json ask(const std::string& command, const std::string& request = "{}",
           const std::string& bytes = "") {
    return Json::parse(playground.answer(command, request, bytes));
  }

  std::vector<Json> told;
  Playground playground{[this](const std::string& json) { told.push_back(Json::parse(json)); }};
};

TEST_F(PlaygroundTest, UnderstandsColumnsAndTakesTheLastAsTheTarget) {
  const Json found = ask("read", "{}", table(kRows));
  EXPECT_EQ(found["rows"], kRows);
  EXPECT_EQ(found["target"], "y");
  EXPECT_EQ(found["task"], "regression");
  EXPECT_EQ(found["columns"][1]["kind"], "categorical");
  EXPECT_EQ(found["columns"][0]["least"], 0);
  EXPECT_EQ(found["columns"][0]["largest"], 2.8);
}

TEST_F(PlaygroundTest, ReadsAnotherTargetAndLeavesColumnsOut) {
  const Json found = ask("read", R"({"target": "kind", "ignored": ["y"]})", table(kRows));
  EXPECT_EQ(found["target"], "kind");
  EXPECT_EQ(found["task"], "classification");
  EXPECT_EQ(found["columns"][2]["kind"], "ignored");
}

TEST_F(PlaygroundTest, LearnsJudgesAndAnswersQuestions) {
  ask("read", "{}", table(kRows));
  const Json learned = ask("train", kQuick);
  const auto held_out = static_cast<std::size_t>(std::lround(kQuarter * kRows));
  EXPECT_EQ(learned["evaluation"]["rows"], held_out);
  EXPECT_EQ(learned["training"]["history"][0]["rows"], kRows - held_out);
  const Json& rows = learned["rows"];
  for (const char* name : {"mean", "std", "noise_std", "low", "high", "target"})
    ASSERT_EQ(rows[name].size(), held_out) << name;
  // Its own error, from the rows it handed out, is the one that it states.
  double squares = 0;
  for (std::size_t i = 0; i < held_out; ++i) {
    squares += std::pow(rows["mean"][i].get<double>() - rows["target"][i].get<double>(), 2);
    EXPECT_LT(rows["low"][i], rows["high"][i]);
  }
  constexpr double kRounding = 1e-9;
  EXPECT_NEAR(std::sqrt(squares / static_cast<double>(held_out)),
              learned["evaluation"]["root_mean_square_error"]["value"].get<double>(), kRounding);
  EXPECT_FALSE(told.empty());
  EXPECT_TRUE(told.back().contains("stage"));

  const Json asked =
      ask("rows", R"({"level": 0.9, "rows": [{"x": 2, "kind": "red"}, {"x": 2, "kind": "blue"}]})");
  // The kinds are five apart, and nothing else differs between the two rows.
  constexpr double kApart = 5, kHalf = 0.5;
  EXPECT_NEAR(asked["mean"][0].get<double>() - asked["mean"][1].get<double>(), kApart,
              kHalf * kApart);
  const Json wide = ask("rows", R"({"level": 0.99, "rows": [{"x": 2, "kind": "red"}]})");
  EXPECT_LT(wide["low"][0], asked["low"][0]);
}

TEST_F(PlaygroundTest, WritesPredictionsAPageAndAModelFile) {
  ask("read", "{}", table(kRows));
  ask("train", kQuick);
  const std::string predicted = playground.answer("predict", "{}", "kind,x\nred,1\nblue,2\n");
  EXPECT_EQ(predicted.substr(0, predicted.find('\n')), "mean,std,low,high");
  EXPECT_EQ(std::count(predicted.begin(), predicted.end(), '\n'), 3);
  EXPECT_TRUE(playground.answer("report", "{}", "").starts_with("<!DOCTYPE html>"));
  std::istringstream file(playground.answer("model", "{}", ""));
  const TableModel model = TableModel::load(file);
  EXPECT_EQ(model.target(), "y");
  // The file predicts what the playground does, to the ten digits of its JSON.
  constexpr double kTenDigits = 1e-9;
  TableReader reader = TableReader::of_text("x,kind\n1,red\n", model.schema());
  Table row;
  ASSERT_TRUE(reader.next(row));
  const Json here = ask("rows", R"({"rows": [{"x": 1, "kind": "red"}]})");
  const double mean = model.predict(row).mean[0];
  EXPECT_NEAR(here["mean"][0].get<double>(), mean, kTenDigits * mean);
}

TEST_F(PlaygroundTest, HasProbabilitiesOfClasses) {
  ask("read", R"({"target": "kind"})", table(kRows));
  const Json learned = ask("train", kQuick);
  EXPECT_EQ(learned["rows"]["classes"], Json({"blue", "red"}));
  const Json asked = ask("rows", R"({"rows": [{"x": 1, "y": 8}]})");
  ASSERT_EQ(asked["probabilities"].size(), 2);
  EXPECT_GT(asked["probabilities"][1], asked["probabilities"][0]);
}

TEST_F(PlaygroundTest, TellsMistakes) {
  EXPECT_THROW(ask("train"), InvalidArgument);
  EXPECT_THROW(ask("model"), InvalidArgument);
  EXPECT_THROW(ask("fly"), InvalidArgument);
  EXPECT_THROW(ask("read", "[]", table(kRows)), InvalidArgument);
  EXPECT_THROW(ask("read", R"({"target": 3})", table(kRows)), InvalidArgument);
  EXPECT_THROW(ask("read", "{}", "a,b\n"), Error);
  EXPECT_THROW(ask("read", "{}", "a,b\n1,2\n3,4,5\n"), CorruptFile);
  EXPECT_THROW(ask("read", "{}", ""), Error);
  ask("read", "{}", table(kRows));
  EXPECT_THROW(ask("train", R"({"effort": "lazy"})"), InvalidArgument);
  EXPECT_THROW(ask("train", R"({"validation": 1})"), InvalidArgument);
}

// A new table is another model's: what was learned before must not answer for it.
TEST_F(PlaygroundTest, ForgetsTheModelWithTheTable) {
  ask("read", "{}", table(kRows));
  ask("train", kQuick);
  ask("read", R"({"target": "kind"})", table(kRows));
  EXPECT_THROW(ask("rows", R"({"rows": [{"x": 1}]})"), InvalidArgument);
}

}  // namespace
}  // namespace postrider::cli
