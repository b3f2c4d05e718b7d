// The first screen: what a reader in a hurry should know.
#include <fmt/format.h>

#include <algorithm>

#include "cli/report/sections.h"
#include "cli/report/text.h"

namespace postrider {
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

}  // namespace postrider
