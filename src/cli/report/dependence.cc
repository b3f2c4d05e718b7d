// How predictions move with one input.
#include <fmt/format.h>

#include <algorithm>

#include "cli/report/sections.h"
#include "cli/report/svg.h"
#include "cli/report/text.h"

namespace postrider {
namespace {

constexpr double kHeight = 220;

Range vertical(const ReportDependence& d) {
  std::vector<double> all = d.low;
  all.insert(all.end(), d.high.begin(), d.high.end());
  return range_of(all, 0.08);
}

std::string curve(const ReportDependence& d) {
  const Range y = vertical(d), x = range_of(d.x, 0);
  Plot plot({x.low, x.high, d.input}, {y.low, y.high, d.output}, kHeight);
  plot.band(d.x, d.low, d.high, "area");
  plot.line(d.x, d.mean, "one", "mean over rows");
  return plot.finish(fmt::format("{} against {}", d.output, d.input));
}

// From the largest mean down, a dot with its band.
std::string dots(const ReportDependence& d) {
  double low = *std::ranges::min_element(d.low), high = *std::ranges::max_element(d.high);
  if (!(high > low)) high = low + 1;
  const auto at = [&](double value) { return 100 * (value - low) / (high - low); };
  std::string out = "<div class=\"bars\">\n";
  for (std::size_t k = 0; k < d.names.size(); ++k)
    out += fmt::format(
        "<div><span class=\"name\" title=\"{0}\">{0}</span><svg viewBox=\"0 0 100 16\" "
        "preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{0}: {1}\"><title>{0}: {1}</title>"
        "<rect class=\"area\" x=\"{2:.2f}\" y=\"3\" width=\"{3:.2f}\" height=\"10\"/>"
        "<rect class=\"one\" x=\"{4:.2f}\" y=\"1\" width=\"1.2\" height=\"14\"/></svg>"
        "<span class=\"value\">{1}</span></div>\n",
        escaped(d.names[k]), number_text(d.mean[k]), at(d.low[k]),
        std::max(0.5, at(d.high[k]) - at(d.low[k])), std::min(98.8, at(d.mean[k])));
  return out + "</div>\n";
}

}  // namespace

std::string dependence_part(const ReportContent& content) {
  if (content.dependences.empty()) return "";
  std::string cards;
  for (const ReportDependence& one : content.dependences)
    cards += card(escaped(one.input), fmt::format("{}.", escaped(one.output)),
                  one.names.empty() ? curve(one) : dots(one));
  return fmt::format(
      "<p class=\"lead\">What is predicted when one input is set to a value in all rows and the "
      "others stay as they are. The line is the mean over rows, the band holds the middle 80 % of "
      "them: where it is wide, the other inputs matter as well.</p>\n<div "
      "class=\"grid\">\n{}</div>\n",
      cards);
}

}  // namespace postrider
