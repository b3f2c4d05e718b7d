// Errors over time, and by group.
#include <fmt/format.h>

#include <algorithm>

#include "cli/report/sections.h"
#include "cli/report/svg.h"
#include "cli/report/text.h"

namespace postrider {
namespace {

constexpr double kTwo = 2;  // standard errors on either side

bool classifies(const ReportContent& content) { return !content.predictions; }

std::string over_time(const ReportContent& content) {
  std::vector<double> x, y, low, high, all;
  for (const ReportErrors& one : content.over_time) {
    x.push_back(one.time);
    y.push_back(one.mean);
    low.push_back(one.mean - kTwo * one.error);
    high.push_back(one.mean + kTwo * one.error);
    all.insert(all.end(), {low.back(), high.back()});
  }
  if (!classifies(content)) all.push_back(0);
  const Range span = range_of(all, 0.08), wide = range_of(x, 0.03);
  Plot plot(
      {wide.low, wide.high, content.time, content.has_dates ? TickStyle::date : TickStyle::number},
      {span.low, span.high,
       classifies(content) ? "share of right classes" : "observed less predicted",
       classifies(content) ? TickStyle::percent : TickStyle::number},
      250);
  plot.band(x, low, high, "area");
  if (!classifies(content)) plot.segment(wide.low, 0, wide.high, 0, "ideal");
  plot.line(x, y, "one thin");
  for (std::size_t k = 0; k < x.size(); ++k)
    plot.dot(x[k], y[k], 3.5, "one",
             fmt::format("{} rows, {} {}", count_text(content.over_time[k].rows),
                         percent_text(content.over_time[k].inside),
                         classifies(content) ? "said to be right" : "inside the interval"));
  return card(fmt::format("Over {}", escaped(content.time)),
              classifies(content)
                  ? "Each dot stands for as many rows as another. Where it falls, the world has "
                    "changed since training."
                  : "Mean errors; each dot stands for as many rows as another. Away from zero, "
                    "predictions are too low (above) or too high (below).",
              plot.finish("Errors over time"));
}

std::string group_row(const ReportErrors& one, bool classes) {
  return fmt::format(
      "<tr><td class=\"name\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td "
      "class=\"number\">{}</td><td class=\"number wide\">{}</td></tr>\n",
      escaped(one.name), count_text(one.rows),
      classes ? fmt::format("{} ± {:.1f}", percent_text(one.mean), 100 * one.error)
              : with_error_text(one.mean, one.error),
      number_text(one.size), percent_text(one.inside));
}

std::string by_group(const ReportContent& content) {
  const bool classes = classifies(content);
  std::string rows;
  for (const ReportErrors& one : content.by_group) rows += group_row(one, classes);
  return card(
      fmt::format("By {}", escaped(content.group)),
      "The groups with the most rows. Errors are far from the others' where a group behaves "
      "differently.",
      fmt::format("<div class=\"scroll\"><table><thead><tr><th>{}</th><th "
                  "class=\"number\">rows</th><th class=\"number\">{}</th><th "
                  "class=\"number\">{}</th><th class=\"number wide\">{}</th></tr></thead><tbody>\n"
                  "{}</tbody></table></div>\n",
                  escaped(content.group), classes ? "right" : "mean error",
                  classes ? "log-loss" : "typical error", classes ? "said" : "inside", rows));
}

}  // namespace

std::string error_part(const ReportContent& content) {
  if (content.over_time.empty() && content.by_group.empty()) return "";
  std::string cards;
  if (!content.over_time.empty()) cards += over_time(content);
  if (!content.by_group.empty()) cards += by_group(content);
  return fmt::format(
      "<p class=\"lead\">A model that is right on average may still be wrong at one time or for "
      "one "
      "group.</p>\n<div class=\"grid\">\n{}</div>\n",
      cards);
}

}  // namespace postrider
