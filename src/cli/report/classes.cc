// For classes: whether probabilities mean what they say, and which classes are mixed up.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/report/sections.h"
#include "cli/report/svg.h"
#include "cli/report/text.h"

namespace postrider {
namespace {

std::string reliability(const std::vector<ReportReliabilityBin>& bins) {
  constexpr double kLargest = 9, kSmallest = 2.5;
  double most = 1, least = 1, least_share = 1;
  for (const ReportReliabilityBin& bin : bins) {
    most = std::max(most, static_cast<double>(bin.rows));
    if (bin.rows == 0) continue;
    least = std::min(least, bin.probability);
    least_share = std::min(least_share, bin.share_right);
  }
  constexpr double kRoom = 0.04;  // for the largest dot
  const double low = std::max(0.0, std::floor(10 * least) / 10);
  const double bottom = std::max(0.0, std::min(low, std::floor(10 * least_share) / 10));
  Plot plot({low, 1 + kRoom / 2, "probability given to the predicted class", TickStyle::percent},
            {bottom, 1 + kRoom, "share that was right", TickStyle::percent}, 300);
  plot.segment(low, low, 1, 1, "ideal");
  std::vector<double> x, y;
  for (const ReportReliabilityBin& bin : bins) {
    if (bin.rows == 0) continue;
    x.push_back(bin.probability);
    y.push_back(bin.share_right);
  }
  plot.line(x, y, "one thin");
  for (const ReportReliabilityBin& bin : bins) {
    if (bin.rows == 0) continue;
    const double radius =
        std::max(kSmallest, kLargest * std::sqrt(static_cast<double>(bin.rows) / most));
    plot.dot(bin.probability, bin.share_right, radius, "one seen",
             fmt::format("{} rows: said {}, right {}", count_text(bin.rows),
                         percent_text(bin.probability), percent_text(bin.share_right)));
  }
  return card("Do the probabilities mean what they say?",
              "Of the rows that were predicted with 80 %, about 80 % should be right. A larger dot "
              "stands for more rows; above the diagonal the model is too careful, below too sure.",
              plot.finish("Share of right predictions against their probability") +
                  legend(legend_entry(LegendMark::dot, "one", "rows of similar probability") +
                         legend_entry(LegendMark::dashed, "ideal", "perfect")));
}

std::string matrix_row(const ReportConfusion& c, std::size_t truth) {
  const std::size_t classes = c.classes.size();
  double total = 0;
  for (std::size_t k = 0; k < classes; ++k)
    total += static_cast<double>(c.counts[truth * classes + k]);
  std::string out = fmt::format("<tr><th scope=\"row\">{}</th>", escaped(c.classes[truth]));
  for (std::size_t k = 0; k < classes; ++k) {
    const std::size_t count = c.counts[truth * classes + k];
    const double share = total > 0 ? static_cast<double>(count) / total : 0;
    out += fmt::format("<td style=\"--share:{:.3f}\" title=\"{} of {}: {}\">{}</td>", share,
                       percent_text(share), escaped(c.classes[truth]), escaped(c.classes[k]),
                       count > 0 ? count_text(count) : "·");
  }
  return out + "</tr>\n";
}

std::string confusion(const ReportConfusion& c) {
  std::string head;
  for (const std::string& name : c.classes)
    head += fmt::format("<th scope=\"col\">{}</th>", escaped(name));
  std::string body;
  for (std::size_t k = 0; k < c.classes.size(); ++k) body += matrix_row(c, k);
  return card(
      "Which classes are mixed up",
      "Rows of the table are true classes, columns what was predicted. The stronger the "
      "colour of a cell, the larger its share of the true class.",
      fmt::format("<div class=\"scroll\"><table class=\"matrix\"><thead><tr><th>true ↓ predicted "
                  "→</th>{}</tr></thead><tbody>\n{}</tbody></table></div>\n",
                  head, body));
}

}  // namespace

std::string class_part(const ReportContent& content) {
  if (content.reliability.empty() && !content.confusion) return "";
  std::string cards;
  if (!content.reliability.empty()) cards += reliability(content.reliability);
  if (content.confusion) cards += confusion(*content.confusion);
  return fmt::format(
      "<p class=\"lead\">A class comes with a probability, which should be as large as the share "
      "of "
      "such predictions that are right.</p>\n<div class=\"grid\">\n{}</div>\n",
      cards);
}

}  // namespace postrider
