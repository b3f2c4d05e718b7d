// What the parts of a report share.
#include <fmt/format.h>

#include "cli/report/sections.h"
#include "cli/report/text.h"

namespace postrider {
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

}  // namespace postrider
