// The first screen: what a reader in a hurry should know.
#include <fmt/format.h>

#include <algorithm>

#include "report/page/page.h"
#include "report/page/text.h"

namespace postrider::internal {
namespace {

std::string bars(const std::vector<ReportContender>& contenders) {
  double most = 0;
  for (const ReportContender& one : contenders) most = std::max(most, one.value);
  std::string out = "<div class=\"contenders\">\n";
  for (const ReportContender& one : contenders)
    out += fmt::format(
        "<div{}><span>{}</span><span class=\"track\"><div class=\"fill\" "
        "style=\"width:{:.1f}%\"></div></span><span class=\"value\">{}</span></div>\n",
        &one == &contenders.front() ? " class=\"first\"" : "", escaped(one.name),
        most > 0 ? 100 * std::max(0.0, one.value) / most : 0,
        with_error_text(one.value, one.error));
  return out + "</div>\n";
}

std::string list(std::string_view tag, std::string_view style,
                 const std::vector<std::string>& items) {
  std::string out = fmt::format("<{} class=\"{}\">\n", tag, style);
  for (const std::string& item : items) out += fmt::format("<li>{}</li>\n", escaped(item));
  return out + fmt::format("</{}>\n", tag);
}

std::string box(std::string_view id, std::string_view heading, const std::string& body,
                bool is_whole = false) {
  return fmt::format("<div class=\"card{}\" id=\"glance-{}\"><h3>{}</h3>\n{}</div>\n",
                     is_whole ? " whole" : "", id, heading, body);
}

std::string said(const std::string& sentence, std::string_view style = "say") {
  return fmt::format("<p class=\"{}\">{}</p>\n", style, escaped(sentence));
}

}  // namespace

std::string headline_part(const ReportContent& content) {
  if (!content.headline) return "";
  const ReportHeadline& h = *content.headline;
  std::string out;
  if (!content.learned.empty())
    out += box("learned", "Read this first", said(sentence(content.learned), "say bad"), true);
  out += box("predicts", "What it predicts", said(h.predicts), true);
  out += box("quality", "How well, against something simple",
             said(h.verdict) + bars(h.contenders) +
                 fmt::format("<p class=\"note\">{}; shorter is better. ± is one standard "
                             "error.</p>\n",
                             escaped(h.score)));
  out += box("trust", "How far to trust it", said(h.trust, h.is_trusted ? "say" : "say bad"));
  out += box("matters", "What matters most",
             h.matters.empty() ? said("No input clearly does.") : list("ol", "", h.matters));
  out += box("worries", "What to worry about",
             h.worries.empty() ? said("Nothing stands out on these rows.")
                               : list("ul", "worry", h.worries));
  return "<div class=\"glance\">\n" + out + "</div>\n";
}

// --- The measures of quality, as tiles; and the facts about the model.

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

// --- The rows about which the model is most and least certain.

namespace {

std::string row_text(const ReportRow& row) {
  std::string inputs;
  for (const ReportFact& fact : row.inputs) {
    if (!inputs.empty()) inputs += " · ";
    inputs += fmt::format("{} {}", escaped(fact.name), escaped(fact.value));
  }
  std::string moves;
  for (const ReportFact& move : row.moves)
    moves += fmt::format("{} {} <b>{}</b>", moves.empty() ? "mostly due to" : " ·",
                         escaped(move.name), escaped(move.value));
  if (!moves.empty()) moves = fmt::format("<div class=\"inputs\">{}</div>", moves);
  std::string observed;
  if (!row.observed.empty())
    observed = fmt::format("<span>observed {} <b class=\"{}\">{}</b></span>", escaped(row.observed),
                           row.was_right ? "good" : "bad", row.was_right ? "✓" : "✗");
  std::string name = fmt::format("row {}", row.row);
  if (!row.keys.empty()) name.clear();
  for (const ReportFact& key : row.keys)
    name += fmt::format("{}{} {}", name.empty() ? "" : ", ", escaped(key.name), escaped(key.value));
  return fmt::format(
      "<div class=\"row\"><div class=\"head\"><span class=\"tag\">{}</span><b>{}</b>{}</div><div "
      "class=\"inputs\">{}</div>{}</div>\n",
      name, escaped(row.prediction), observed, inputs, moves);
}

std::string list(std::string_view heading, std::string_view what,
                 const std::vector<ReportRow>& rows) {
  if (rows.empty()) return "";
  std::string body = "<div class=\"rows\">\n";
  for (const ReportRow& row : rows) body += row_text(row);
  return card(heading, what, body + "</div>\n");
}

}  // namespace

std::string row_part(const ReportContent& content) {
  if (content.most_certain.empty() && content.least_certain.empty() && content.furthest_off.empty())
    return "";
  return fmt::format(
      "<p class=\"lead\">Where to trust the model, and where to look twice. Under each row: how "
      "far columns move its prediction from that of typical rows.</p>\n<div "
      "class=\"grid\">\n{}{}{}</div>\n",
      list("Good: certain", "Where the model has seen much that is alike.", content.most_certain),
      list("Bad: furthest off",
           "What came was the least probable by the prediction. A wrong record, or something that "
           "no column tells?",
           content.furthest_off),
      list("Unsure", "Often unusual inputs: more data of this kind would help most.",
           content.least_certain));
}

}  // namespace postrider::internal
