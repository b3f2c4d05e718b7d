#include "report/page/page.h"

#include <fmt/format.h>

#include <vector>

#include "postrider/error.h"
#include "report/page/text.h"

namespace postrider::internal {
namespace {

void expect_size(const char* field, std::size_t size, std::size_t expected) {
  if (size != expected) reject(field, size, fmt::format("must hold {} values", expected));
}

void expect_sense(const ReportContent& content) {
  if (const auto& p = content.predictions) {
    expect_size("predictions.mean", p->mean.size(), p->observed.size());
    expect_size("predictions.low", p->low.size(), p->observed.size());
    expect_size("predictions.high", p->high.size(), p->observed.size());
  }
  for (const PartialDependence& one : content.dependences) {
    const std::size_t points = one.names.empty() ? one.x.size() : one.names.size();
    expect_size("dependences.mean", one.mean.size(), points);
    expect_size("dependences.low", one.low.size(), points);
    expect_size("dependences.high", one.high.size(), points);
  }
  if (const auto& c = content.calibration)
    expect_size("calibration.coverage", c->coverage.size(), c->level.size());
  if (const auto& c = content.confusion)
    expect_size("confusion.counts", c->counts.size(), c->classes.size() * c->classes.size());
  for (const ReportWeights& weights : content.weights) {
    expect_size("weights.mean", weights.mean.size(), weights.units * weights.inputs.size());
    expect_size("weights.deviation", weights.deviation.size(), weights.mean.size());
  }
}

struct Part {
  std::string_view id, heading;
  std::string (*write)(const ReportContent&);
  bool is_folded = false;
};

constexpr Part kParts[] = {
    {"glance", "At a glance", headline_part},
    {"quality", "How good it is", summary_part},
    {"predictions", "Predictions", prediction_part},
    {"classes", "Predictions", class_part},
    {"inputs", "Which inputs matter", importance_part},
    {"shapes", "How predictions move", dependence_part},
    {"errors", "Where it errs", error_part},
    {"rows", "Good, bad and unsure rows", row_part},
    {"data", "The data", data_part},
    {"training", "Training", training_part, true},
    {"weights", "Inside the network", weight_part, true},
    {"certificate", "Certificate", certificate_part, true},
    {"facts", "Making this model again", fact_part},
};

}  // namespace

std::string render_page(const std::string& title, const std::string& subtitle,
                        const std::vector<PagePart>& parts) {
  std::string links, sections;
  for (const PagePart& part : parts) {
    if (part.body.empty()) continue;
    links += fmt::format("<a href=\"#{}\">{}</a>\n", part.id, part.heading);
    const std::string heading = fmt::format("<h2>{}</h2>", part.heading);
    const std::string body = part.is_folded ? fmt::format(
                                                  "<details>\n<summary>{} <span class=\"tag\">for "
                                                  "experts</span></summary>\n{}</details>",
                                                  heading, part.body)
                                            : heading + "\n" + part.body;
    sections += fmt::format("<section id=\"{}\">\n{}</section>\n", part.id, body);
  }
  const std::string lead =
      subtitle.empty() ? "" : fmt::format("<p class=\"lead\">{}</p>\n", escaped(subtitle));
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
      "name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\">\n<meta "
      "http-equiv=\"Content-Security-Policy\" "
      "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n<title>{0}</title>\n"
      "<style>{1}</style>\n</head>\n<body>\n<header>\n<h1>{0}</h1>\n{2}<nav>\n{3}</nav>\n</"
      "header>\n"
      "<main>\n{4}</main>\n<footer>Written by Postrider. This page needs no network: everything it "
      "shows is inside.</footer>\n</body>\n</html>\n",
      escaped(title), report_style(), lead, links, sections);
}

std::string render_report(const ReportContent& content) {
  expect_sense(content);
  std::vector<PagePart> parts;
  for (const Part& part : kParts)
    parts.push_back(
        {std::string(part.id), std::string(part.heading), part.write(content), part.is_folded});
  return render_page(content.title, content.subtitle, parts);
}

// --- What the parts of a report share.

namespace {

std::string mark_shape(LegendMark mark, std::string_view style) {
  switch (mark) {
    case LegendMark::line:
    case LegendMark::dashed:
      return fmt::format("<path class=\"line {}\" d=\"M0 5H16\"/>", style);
    case LegendMark::dot:
      return fmt::format("<circle class=\"{}\" cx=\"8\" cy=\"5\" r=\"3.5\"/>", style);
    case LegendMark::diamond:
      return fmt::format("<path class=\"{}\" d=\"M8 0l5 5l-5 5l-5 -5Z\"/>", style);
    case LegendMark::hollow:
      return "<circle class=\"hollow\" cx=\"8\" cy=\"5\" r=\"3.5\"/>";
    case LegendMark::ring:
      return "<rect x=\"3.5\" y=\".5\" width=\"9\" height=\"9\" fill=\"none\" "
             "stroke=\"currentColor\"/>";
    case LegendMark::square:
      break;
  }
  return fmt::format("<rect class=\"{}\" x=\"3\" y=\"0\" width=\"10\" height=\"10\"/>", style);
}

}  // namespace

std::string card(std::string_view heading, std::string_view what, std::string_view body) {
  const std::string sentence = what.empty() ? "" : fmt::format("<p>{}</p>\n", what);
  return fmt::format("<div class=\"card\">\n<h3>{}</h3>\n{}{}</div>\n", escaped(heading), sentence,
                     body);
}

std::string legend_entry(LegendMark mark, std::string_view style, std::string_view text) {
  return fmt::format("<li><svg viewBox=\"0 0 16 10\" aria-hidden=\"true\">{}</svg>{}</li>",
                     mark_shape(mark, style), escaped(text));
}

std::string legend(std::string_view entries) {
  return fmt::format("<ul class=\"legend\">{}</ul>\n", entries);
}

}  // namespace postrider::internal
