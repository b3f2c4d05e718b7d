#include "report/page/page.h"

#include <gtest/gtest.h>

#include <cmath>

#include "complaint.h"
#include "report/page/download.h"
#include "report/page/svg.h"
#include "report/samples.h"

namespace postrider::internal {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t out = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++out;
  return out;
}

TEST(Report, WhatIsNotThereIsLeftOut) {
  ReportContent content;
  content.title = "Empty";
  const std::string page = render_report(content);
  EXPECT_EQ(count(page, "<section"), 0u);
  EXPECT_EQ(count(page, "<h1>Empty</h1>"), 1u);
  content.facts = {{"seed", "7"}};
  EXPECT_EQ(count(render_report(content), "<section"), 1u);
}

TEST(Report, HostileNamesStayText) {
  const std::string page = render_report(classification_sample());
  EXPECT_EQ(count(page, "<script"), 0u);
  EXPECT_EQ(count(page, "<img"), 0u);
  EXPECT_EQ(count(page, "<em>"), 0u);
  for (const char* tag : {"<marquee>", "<u>", "<s>", "<b>linear"}) EXPECT_EQ(count(page, tag), 0u);
  EXPECT_EQ(count(page, "<i>"), 0u);
  EXPECT_EQ(count(page, "</title>"), count(page, "<title>"));
  EXPECT_GT(count(page, "&lt;script&gt;alert(&#39;x&#39;)"),
            3u);  // in the data, bars, weights, rows
  EXPECT_EQ(count(page, "onerror=alert(1)&gt;"), 1u);
}

TEST(Report, ShowsEveryPartOfARegression) {
  const ReportContent content = regression_sample();
  const std::string page = render_report(content);
  for (const char* id : {"glance", "quality", "predictions", "inputs", "shapes", "errors", "rows",
                         "training", "data", "weights", "certificate", "facts"})
    EXPECT_EQ(count(page, std::string("<section id=\"") + id + "\""), 1u) << id;
  // What is for experts is folded away, and nothing else.
  EXPECT_EQ(count(page, "<details>"), 3u);
  for (const char* id : {"training", "weights", "certificate"})
    EXPECT_EQ(count(page, std::string("<section id=\"") + id + "\">\n<details>"), 1u) << id;
  // One mark for each row, one square and one ring for each weight.
  EXPECT_EQ(count(page, "<title>predicted "), content.predictions->observed.size());
  std::size_t weights = 0;
  for (const ReportWeights& layer : content.weights) weights += layer.mean.size();
  EXPECT_EQ(count(page, "<rect class=\"ring\""), weights);
}

// What a reader in a hurry should learn comes first, each from a place of its own.
TEST(Report, TheFirstScreenSaysWhatAReaderShouldKnow) {
  const std::string page = render_report(regression_sample());
  EXPECT_LT(page.find("id=\"glance\""), page.find("id=\"quality\""));
  for (const char* part :
       {"What it predicts", "strength, a number, from 4 columns, learned from 500 rows.",
        "How well, against something simple", "71 % smaller than a linear model&#39;s",
        "this model", "How far to trust it", "91 % of the rows lie inside their 90 % interval",
        "What matters most", "predictions lose 2.1 nats per row", "What to worry about",
        "Nothing stands out"})
    EXPECT_GE(count(page, part), 1u) << part;
  for (const char* place : {"predicts", "quality", "trust", "matters", "worries"})
    EXPECT_EQ(count(page, std::string("id=\"glance-") + place + "\""), 1u) << place;
}

// Praise of rows that were learned would mislead.
TEST(Report, ThatRowsWereLearnedStandsAboveAll) {
  ReportContent content = regression_sample();
  const std::string before = render_report(content);
  EXPECT_EQ(count(before, "id=\"glance-learned\""), 0u);
  // Intervals that hold what they promise.
  content.calibration = ReportCalibration{{0.5, 0.9}, {0.5, 0.9}};
  EXPECT_EQ(count(render_report(content), "They are right on average."), 1u);
  content.learned = "all 200 rows were learned by this model";
  const std::string page = render_report(content);
  EXPECT_LT(page.find("All 200 rows were learned by this model."),
            page.find("id=\"glance-predicts\""));
  EXPECT_EQ(count(page, "id=\"glance-learned\""), 1u);
  EXPECT_EQ(count(page, "They are right on average."), 0u);
  EXPECT_EQ(count(page, "Rows of these were learned: of new ones this says nothing."), 1u);
  // Too narrow for rows that are remembered is too narrow for others.
  content.calibration = ReportCalibration{{0.5, 0.9}, {0.3, 0.7}};
  EXPECT_EQ(count(render_report(content), "They are too narrow: the model is too sure."), 1u);
}

TEST(Report, CopiesAmongTheTrainingRowsAreCounted) {
  ReportContent content = regression_sample();
  EXPECT_EQ(count(render_report(content), "exact cop"), 0u);
  content.data.training_rows = 3300;
  content.data.training_copies = 300;
  EXPECT_EQ(count(render_report(content),
                  "The model learned from 3,300 rows, of which 300 are exact copies of others."),
            1u);
  content.data.training_copies = 1;
  EXPECT_EQ(count(render_report(content), "of which 1 is an exact copy of another."), 1u);
}

TEST(Report, ListsThatBelongTogetherHaveOneLength) {
  ReportContent content;
  content.predictions = ReportPredictions{"y", 0.9, {1, 2}, {1, 2}, {0}, {3, 3}};
  EXPECT_EQ(complaint([&] { render_report(content); }), "predictions.low = 1: must hold 2 values");
}

TEST(Report, TicksAreRoundAndInside) {
  EXPECT_EQ(round_ticks(0, 1), (std::vector<double>{0, 0.2, 0.4, 0.6000000000000001, 0.8, 1}));
  EXPECT_EQ(round_ticks(-7, 11, 4), (std::vector<double>{-5, 0, 5, 10}));
  EXPECT_EQ(round_ticks(3, 3).size(), 1u);
  const Range flat = range_of(std::vector<double>{2, 2});
  EXPECT_LT(flat.low, flat.high);
}

// What a link of the page would keep under this name, all of them one after the other.
std::vector<std::string> kept_tables(const std::string& page, const std::string& name) {
  std::vector<std::string> out;
  const std::string begin = "<a download=\"" + name + "\" href=\"data:text/csv;charset=utf-8,";
  for (std::size_t at = page.find(begin); at != std::string::npos; at = page.find(begin, at + 1)) {
    std::string text;
    for (std::size_t i = at + begin.size(); page.at(i) != '"'; ++i) {
      const bool is_code = page[i] == '%';
      text += is_code ? static_cast<char>(std::stoi(page.substr(i + 1, 2), nullptr, 16)) : page[i];
      i += is_code ? 2 : 0;
    }
    out.push_back(text);
  }
  return out;
}

TEST(Report, GivesTheNumbersBehindItsPictures) {
  const ReportContent content = regression_sample();
  const std::string page = render_report(content);
  const std::vector<std::string> predicted = kept_tables(page, "predicted_observed.csv");
  ASSERT_EQ(predicted.size(), 1u);
  EXPECT_TRUE(predicted[0].starts_with("row,observed,predicted,low,high\n1,"));
  EXPECT_EQ(count(predicted[0], "\n"), content.predictions->observed.size() + 1);
  const std::vector<std::string> held = kept_tables(page, "intervals.csv");
  ASSERT_EQ(held.size(), 1u);
  EXPECT_EQ(count(held[0], "\n"), content.calibration->level.size() + 1);
  EXPECT_EQ(kept_tables(page, "importance.csv").size(), 1u);
  EXPECT_EQ(kept_tables(page, "dependence.csv").size(), content.dependences.size());
}

TEST(TableBehind, QuotesWhatWouldEndACell) {
  TableBehind table({"a,b", "c"});
  table.text("say \"x\"").number(-0.25).end_row();
  table.text("\"><script>").number(std::nan("")).end_row();
  const std::vector<std::string> found = kept_tables(table.link("t.csv"), "t.csv");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0], "\"a,b\",c\n\"say \"\"x\"\"\",-0.25\n\"\"\"><script>\",\n");
}

}  // namespace
}  // namespace postrider::internal
