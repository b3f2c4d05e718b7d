// The rows about which the model is most and least certain.
#include <fmt/format.h>

#include "cli/report/sections.h"
#include "cli/report/text.h"

namespace postrider {
namespace {

std::string row_text(const ReportRow& row) {
  std::string inputs;
  for (const ReportFact& fact : row.inputs) {
    if (!inputs.empty()) inputs += " · ";
    inputs += fmt::format("{} {}", escaped(fact.name), escaped(fact.value));
  }
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
      "class=\"inputs\">{}</div></div>\n",
      name, escaped(row.prediction), observed, inputs);
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
      "<p class=\"lead\">Where to trust the model, and where to look twice.</p>\n<div "
      "class=\"grid\">\n{}{}{}</div>\n",
      list("Good: certain", "Where the model has seen much that is alike.", content.most_certain),
      list("Bad: furthest off",
           "What came was the least probable by the prediction. A wrong record, or something that "
           "no column tells?",
           content.furthest_off),
      list("Unsure", "Often unusual inputs: more data of this kind would help most.",
           content.least_certain));
}

}  // namespace postrider
