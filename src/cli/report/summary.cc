// The measures of quality, as tiles; and the facts about the model.
#include <fmt/format.h>

#include "cli/report/sections.h"
#include "cli/report/text.h"

namespace postrider {
namespace {

std::string tile(const ReportMetric& metric) {
  std::string between;
  if (metric.low && metric.high)
    between = fmt::format("<div class=\"between\">{} to {}</div>", measured_text(*metric.low),
                          measured_text(*metric.high));
  const std::string why =
      metric.explanation.empty() ? "" : fmt::format("<p>{}</p>", escaped(metric.explanation));
  return fmt::format(
      "<div class=\"card tile\"><div class=\"name\">{}</div><div "
      "class=\"value\">{}</div>{}{}</div>\n",
      escaped(metric.name), measured_text(metric.value), between, why);
}

}  // namespace

std::string summary_part(const ReportContent& content) {
  if (content.metrics.empty()) return "";
  std::string tiles;
  bool has_interval = false;
  for (const ReportMetric& metric : content.metrics) {
    tiles += tile(metric);
    has_interval = has_interval || (metric.low && metric.high);
  }
  return fmt::format(
      "<p class=\"lead\">How good the predictions are on the rows of this "
      "report.{}{}</p>\n<div class=\"tiles\">\n{}</div>\n",
      has_interval ? " The smaller numbers say how far each would differ on other "
                     "rows of the same kind."
                   : "",
      content.learned.empty()
          ? ""
          : fmt::format(" <b class=\"bad\">{}</b>", escaped(sentence(content.learned))),
      tiles);
}

std::string fact_part(const ReportContent& content) {
  if (content.facts.empty()) return "";
  std::string out =
      "<p class=\"lead\">The same data, options, seed and version give the same file, to the "
      "byte.</p>\n<div class=\"card\">";
  if (!content.command.empty())
    out += fmt::format("<div class=\"scroll\"><pre>{}</pre></div>\n", escaped(content.command));
  out += "<dl class=\"facts\">\n";
  for (const ReportFact& fact : content.facts)
    out +=
        fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", escaped(fact.name), escaped(fact.value));
  return out + "</dl></div>\n";
}

}  // namespace postrider
