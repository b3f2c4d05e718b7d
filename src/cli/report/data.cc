// The columns of the data.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/report/sections.h"
#include "cli/report/svg.h"
#include "cli/report/text.h"

namespace postrider {
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

}  // namespace postrider
