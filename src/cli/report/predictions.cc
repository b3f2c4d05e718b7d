// Predicted against observed, and whether intervals hold what they promise.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/report/coverage.h"
#include "cli/report/sections.h"
#include "cli/report/svg.h"
#include "cli/report/text.h"

namespace postrider {
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
  for (std::size_t i = 0; i < rows; i += step) draw_row(plot, p, i);
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
                         legend_entry(LegendMark::dashed, "ideal", "perfect")));
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
  return card("Do the intervals hold what they promise?",
              fmt::format("Of 100 intervals at 80 %, about 80 should hold the observed value. {}",
                          verdict_of(c, was_learned)),
              plot.finish("Share of observed values inside intervals against the share promised") +
                  legend(legend_entry(LegendMark::line, "one", "this model") +
                         legend_entry(LegendMark::dashed, "ideal", "perfect")));
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

}  // namespace postrider
