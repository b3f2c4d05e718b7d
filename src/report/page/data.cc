// The columns of the data.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/page/page.h"
#include "report/page/svg.h"
#include "report/page/text.h"

namespace postrider::internal {
namespace {

std::string number_cell(const std::optional<double>& value, std::string_view style = "number") {
  return fmt::format("<td class=\"{}\">{}</td>", style, value ? number_text(*value) : "");
}

std::string range_text(const ReportColumn& column) {
  if (!column.range.empty()) return escaped(column.range);
  if (column.least && column.largest)
    return fmt::format("{} to {}", number_text(*column.least), number_text(*column.largest));
  if (column.distinct == 0) return "";
  constexpr std::size_t kNamed = 3;
  std::string names;
  for (std::size_t i = 0; i < std::min(kNamed, column.categories.size()); ++i)
    names += (i > 0 ? ", " : "") + escaped(column.categories[i]);
  return fmt::format("{} values: {}{}", count_text(column.distinct), names,
                     column.distinct > kNamed ? " …" : "");
}

// Mean and standard deviation of the rows that were learned, and a mark if these rows lie elsewhere.
std::string learned_text(const ReportColumn& column) {
  constexpr double kFar = 0.5;  // standard deviations between the means
  if (column.unknown > 0) return count_text(column.unknown) + " not seen in training";
  if (!column.learned_mean || !column.learned_deviation) return "";
  const bool is_far = column.mean && std::abs(*column.mean - *column.learned_mean) >
                                         kFar * *column.learned_deviation;
  return fmt::format("{} ± {}{}", number_text(*column.learned_mean),
                     number_text(*column.learned_deviation),
                     is_far ? " <b class=\"bad\">differs</b>" : "");
}

std::string column_row(const ReportColumn& column) {
  return fmt::format(
      "<tr><td class=\"name\">{}{}</td><td class=\"wide\">{}</td>{}{}<td class=\"number "
      "wide\">{}</td>"
      "<td class=\"number wide\">{}</td><td class=\"number\">{}</td><td>{}</td></tr>\n",
      escaped(column.name), column.is_target ? " <span class=\"tag\">target</span>" : "",
      escaped(column.kind), number_cell(column.mean), number_cell(column.deviation, "number wide"),
      range_text(column), learned_text(column),
      column.missing > 0 ? count_text(column.missing) : "–",
      sparkline(column.counts, column.categories));
}

}  // namespace

std::string data_part(const ReportContent& content) {
  const ReportData& data = content.data;
  if (data.columns.empty()) return "";
  std::string rows, counts;
  for (const ReportColumn& column : data.columns) rows += column_row(column);
  if (data.training_rows > 0)
    counts +=
        fmt::format(" The model learned from {} rows{}.", count_text(data.training_rows),
                    data.training_copies == 0
                        ? ""
                        : fmt::format(", of which {} {}", count_text(data.training_copies),
                                      data.training_copies == 1 ? "is an exact copy of another"
                                                                : "are exact copies of others"));
  if (data.test_rows > 0)
    counts += fmt::format(" This report is about {} rows.", count_text(data.test_rows));
  return fmt::format(
      "<p class=\"lead\">What the columns hold.{}</p>\n<div class=\"card "
      "scroll\"><table><thead><tr>"
      "<th>column</th><th class=\"wide\">kind</th><th class=\"number\">mean</th><th class=\"number "
      "wide\">std</th><th class=\"number wide\">range</th><th class=\"number wide\">in "
      "training</th><th class=\"number\">missing</th>"
      "<th>distribution</th></tr></thead><tbody>\n{}</tbody></table></div>\n",
      counts, rows);
}

// --- Errors over time, and by group.

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

}  // namespace postrider::internal
