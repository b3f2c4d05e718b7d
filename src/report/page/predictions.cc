// Predicted against observed, and whether intervals hold what they promise.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/page/download.h"
#include "report/page/page.h"
#include "report/page/svg.h"
#include "report/page/text.h"

namespace postrider::internal {
namespace {

constexpr std::size_t kMostPoints = 400;  // more would hide each other

void draw_row(Plot& plot, const ReportPredictions& p, std::size_t i) {
  const bool inside = p.observed[i] >= p.low[i] && p.observed[i] <= p.high[i];
  const std::string about = fmt::format("predicted {} ({} to {}), observed {}",
                                        number_text(p.mean[i], 4), number_text(p.low[i], 4),
                                        number_text(p.high[i], 4), number_text(p.observed[i], 4));
  plot.segment(p.observed[i], p.low[i], p.observed[i], p.high[i],
               inside ? "one faint" : "two thin");
  if (inside)
    plot.dot(p.observed[i], p.mean[i], 2.2, "one seen", about);
  else
    plot.diamond(p.observed[i], p.mean[i], 3.6, "two", about);
}

std::string scatter(const ReportPredictions& p) {
  std::vector<double> all = p.observed;
  all.insert(all.end(), p.mean.begin(), p.mean.end());
  const Range range = range_of(all);
  Plot plot({range.low, range.high, "observed " + p.target},
            {range.low, range.high, "predicted " + p.target}, 330);
  plot.segment(range.low, range.low, range.high, range.high, "ideal");
  const std::size_t rows = p.observed.size();
  const std::size_t step = std::max<std::size_t>(1, (rows + kMostPoints - 1) / kMostPoints);
  TableBehind table({"row", "observed", "predicted", "low", "high"});
  for (std::size_t i = 0; i < rows; i += step) {
    draw_row(plot, p, i);
    table.text(std::to_string(i + 1)).number(p.observed[i]).number(p.mean[i]);
    table.number(p.low[i]).number(p.high[i]).end_row();
  }
  const std::string level = percent_text(p.level);
  std::string what = fmt::format(
      "Each mark is a row, its line the {} interval. The closer to the dashed diagonal, the "
      "better; "
      "{} of the rows lie inside their interval.",
      level, percent_text(share_inside(p)));
  if (step > 1) what += fmt::format(" One row in {} is drawn, of {}.", step, count_text(rows));
  return card("Predicted against observed", what,
              plot.finish("Predicted against observed values with intervals") +
                  legend(legend_entry(LegendMark::dot, "one", "inside its interval") +
                         legend_entry(LegendMark::diamond, "two", "outside") +
                         legend_entry(LegendMark::dashed, "ideal", "perfect")) +
                  table.link("predicted_observed.csv"));
}

double mean_gap(const ReportCalibration& c) {
  double sum = 0;
  for (std::size_t i = 0; i < c.level.size(); ++i) sum += c.coverage[i] - c.level[i];
  return c.level.empty() ? 0 : sum / static_cast<double>(c.level.size());
}

// What the curve says of new rows.
std::string verdict_of(const ReportCalibration& c, bool was_learned) {
  constexpr double kClose = 0.02;
  const double gap = mean_gap(c);
  if (gap <= -kClose) return "They are too narrow: the model is too sure.";
  if (was_learned) return "Rows of these were learned: of new ones this says nothing.";
  return gap < kClose ? "They are right on average." : "They are wider than they need be.";
}

std::string calibration(const ReportCalibration& c, bool was_learned) {
  Plot plot({0, 1, "share an interval should hold", TickStyle::percent},
            {0, 1, "share it held", TickStyle::percent}, 330);
  plot.band(c.level, c.level, c.coverage, "area");
  plot.segment(0, 0, 1, 1, "ideal");
  plot.line(c.level, c.coverage, "one", "share that intervals held");
  TableBehind table({"level", "held"});
  for (std::size_t i = 0; i < c.level.size(); ++i)
    table.number(c.level[i]).number(c.coverage[i]).end_row();
  return card("Do the intervals hold what they promise?",
              fmt::format("Of 100 intervals at 80 %, about 80 should hold the observed value. {}",
                          verdict_of(c, was_learned)),
              plot.finish("Share of observed values inside intervals against the share promised") +
                  legend(legend_entry(LegendMark::line, "one", "this model") +
                         legend_entry(LegendMark::dashed, "ideal", "perfect")) +
                  table.link("intervals.csv"));
}

}  // namespace

std::string prediction_part(const ReportContent& content) {
  if (!content.predictions && !content.calibration) return "";
  std::string cards;
  if (content.predictions) cards += scatter(*content.predictions);
  if (content.calibration) cards += calibration(*content.calibration, !content.learned.empty());
  return fmt::format(
      "<p class=\"lead\">Every prediction comes with an interval. Both the number and the width of "
      "the interval should be right.</p>\n<div class=\"grid\">\n{}</div>\n",
      cards);
}

// --- For classes: whether probabilities mean what they say, and which classes are mixed up.

namespace {

std::string reliability(const std::vector<ReportReliabilityBin>& bins) {
  constexpr double kLargest = 9, kSmallest = 2.5;
  double most = 1, least = 1, least_share = 1;
  for (const ReportReliabilityBin& bin : bins) {
    most = std::max(most, static_cast<double>(bin.rows));
    if (bin.rows == 0) continue;
    least = std::min(least, bin.probability);
    least_share = std::min(least_share, bin.share_right);
  }
  constexpr double kRoom = 0.04;  // for the largest dot
  const double low = std::max(0.0, std::floor(10 * least) / 10);
  const double bottom = std::max(0.0, std::min(low, std::floor(10 * least_share) / 10));
  Plot plot({low, 1 + kRoom / 2, "probability given to the predicted class", TickStyle::percent},
            {bottom, 1 + kRoom, "share that was right", TickStyle::percent}, 300);
  plot.segment(low, low, 1, 1, "ideal");
  std::vector<double> x, y;
  for (const ReportReliabilityBin& bin : bins) {
    if (bin.rows == 0) continue;
    x.push_back(bin.probability);
    y.push_back(bin.share_right);
  }
  plot.line(x, y, "one thin");
  for (const ReportReliabilityBin& bin : bins) {
    if (bin.rows == 0) continue;
    const double radius =
        std::max(kSmallest, kLargest * std::sqrt(static_cast<double>(bin.rows) / most));
    plot.dot(bin.probability, bin.share_right, radius, "one seen",
             fmt::format("{} rows: said {}, right {}", count_text(bin.rows),
                         percent_text(bin.probability), percent_text(bin.share_right)));
  }
  return card("Do the probabilities mean what they say?",
              "Of the rows that were predicted with 80 %, about 80 % should be right. A larger dot "
              "stands for more rows; above the diagonal the model is too careful, below too sure.",
              plot.finish("Share of right predictions against their probability") +
                  legend(legend_entry(LegendMark::dot, "one", "rows of similar probability") +
                         legend_entry(LegendMark::dashed, "ideal", "perfect")));
}

std::string matrix_row(const ReportConfusion& c, std::size_t truth) {
  const std::size_t classes = c.classes.size();
  double total = 0;
  for (std::size_t k = 0; k < classes; ++k)
    total += static_cast<double>(c.counts[truth * classes + k]);
  std::string out = fmt::format("<tr><th scope=\"row\">{}</th>", escaped(c.classes[truth]));
  for (std::size_t k = 0; k < classes; ++k) {
    const std::size_t count = c.counts[truth * classes + k];
    const double share = total > 0 ? static_cast<double>(count) / total : 0;
    out += fmt::format("<td style=\"--share:{:.3f}\" title=\"{} of {}: {}\">{}</td>", share,
                       percent_text(share), escaped(c.classes[truth]), escaped(c.classes[k]),
                       count > 0 ? count_text(count) : "·");
  }
  return out + "</tr>\n";
}

std::string confusion(const ReportConfusion& c) {
  std::string head;
  for (const std::string& name : c.classes)
    head += fmt::format("<th scope=\"col\">{}</th>", escaped(name));
  std::string body;
  for (std::size_t k = 0; k < c.classes.size(); ++k) body += matrix_row(c, k);
  return card(
      "Which classes are mixed up",
      "Rows of the table are true classes, columns what was predicted. The stronger the "
      "colour of a cell, the larger its share of the true class.",
      fmt::format("<div class=\"scroll\"><table class=\"matrix\"><thead><tr><th>true ↓ predicted "
                  "→</th>{}</tr></thead><tbody>\n{}</tbody></table></div>\n",
                  head, body));
}

}  // namespace

std::string class_part(const ReportContent& content) {
  if (content.reliability.empty() && !content.confusion) return "";
  std::string cards;
  if (!content.reliability.empty()) cards += reliability(content.reliability);
  if (content.confusion) cards += confusion(*content.confusion);
  return fmt::format(
      "<p class=\"lead\">A class comes with a probability, which should be as large as the share "
      "of "
      "such predictions that are right.</p>\n<div class=\"grid\">\n{}</div>\n",
      cards);
}

double share_inside(const ReportPredictions& predictions) {
  std::size_t inside = 0, seen = 0;
  for (std::size_t i = 0; i < predictions.observed.size(); ++i) {
    const double observed = predictions.observed[i];
    if (!std::isfinite(observed)) continue;
    ++seen;
    inside += observed >= predictions.low[i] && observed <= predictions.high[i];
  }
  return static_cast<double>(inside) / static_cast<double>(std::max<std::size_t>(seen, 1));
}

std::string coverage_text(const ReportContent& content) {
  if (content.predictions)
    return fmt::format("{} of the rows lie inside their {} interval",
                       percent_text(share_inside(*content.predictions)),
                       percent_text(content.predictions->level));
  double rows = 0, right = 0, said = 0;
  for (const ReportReliabilityBin& bin : content.reliability) {
    const auto weight = static_cast<double>(bin.rows);
    rows += weight;
    if (bin.rows > 0) {
      right += weight * bin.share_right;
      said += weight * bin.probability;
    }
  }
  if (rows == 0) return "";
  return fmt::format("predicted classes were right in {} of the rows, and said to be in {}",
                     percent_text(right / rows), percent_text(said / rows));
}

}  // namespace postrider::internal
