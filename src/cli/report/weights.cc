// Hinton diagrams of the beliefs in the weights.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cli/report/sections.h"
#include "cli/report/text.h"

namespace postrider {
namespace {

constexpr std::size_t kMostUnits = 64, kMostInputs = 40;
constexpr double kCell = 13, kFull = 11.5;  // a cell, and the largest square in it
constexpr std::size_t kLabelLetters = 16;

// The rows or columns with the clearest weights, in their own order.
std::vector<std::size_t> clearest(const std::vector<double>& clarity, std::size_t most) {
  std::vector<std::size_t> order(clarity.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.size() <= most) return order;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return clarity[a] > clarity[b]; });
  order.resize(most);
  std::sort(order.begin(), order.end());
  return order;
}

struct Shown {
  std::vector<std::size_t> units, inputs;
  double largest = 0;  // mean or deviation
};

Shown choose(const ReportWeights& w) {
  std::vector<double> by_unit(w.units), by_input(w.inputs.size());
  for (std::size_t i = 0; i < w.units; ++i)
    for (std::size_t j = 0; j < w.inputs.size(); ++j) {
      const std::size_t k = i * w.inputs.size() + j;
      const double clarity = w.mean[k] / w.deviation[k] * (w.mean[k] / w.deviation[k]);
      by_unit[i] += clarity;
      by_input[j] += clarity;
    }
  Shown out{clearest(by_unit, kMostUnits), clearest(by_input, kMostInputs)};
  for (const std::size_t i : out.units)
    for (const std::size_t j : out.inputs) {
      const std::size_t k = i * w.inputs.size() + j;
      out.largest = std::max({out.largest, std::abs(w.mean[k]), w.deviation[k]});
    }
  return out;
}

std::string shortened(const std::string& name) {
  std::size_t letters = 0;
  for (std::size_t i = 0; i < name.size(); ++i)
    if ((static_cast<unsigned char>(name[i]) & 0xC0u) != 0x80u && ++letters > kLabelLetters)
      return name.substr(0, i) + "…";
  return name;
}

// A square whose area is in proportion to the size.
std::string square(std::string_view style, double x, double y, double share,
                   std::string_view title) {
  const double side = kFull * std::sqrt(std::clamp(share, 0.0, 1.0));
  return fmt::format(
      "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\">{}</rect>",
      style, x + (kCell - side) / 2, y + (kCell - side) / 2, side, side, title);
}

std::string weight_mark(const ReportWeights& w, std::size_t unit, std::size_t input, double x,
                        double y, double largest) {
  const std::size_t k = unit * w.inputs.size() + input;
  const std::string about =
      fmt::format("<title>{} to unit {}: {} ± {}</title>", escaped(w.inputs[input]), unit + 1,
                  number_text(w.mean[k]), number_text(w.deviation[k], 2));
  return square(w.mean[k] < 0 ? "two" : "one", x, y, std::abs(w.mean[k]) / largest, about) +
         square("ring", x, y, w.deviation[k] / largest, "");
}

double label_width(const ReportWeights& w, const Shown& shown) {
  std::size_t letters = 4;
  for (const std::size_t j : shown.inputs) letters = std::max(letters, w.inputs[j].size());
  return 8 + 6.2 * static_cast<double>(std::min(letters, kLabelLetters + 1));
}

std::string picture(const ReportWeights& w, const Shown& shown) {
  const double left = label_width(w, shown);
  constexpr double kLeastWidth = 50;  // for the words below
  const double width =
      left + std::max(kLeastWidth, kCell * static_cast<double>(shown.units.size()));
  const double height = kCell * static_cast<double>(shown.inputs.size()) + 20;
  std::string out = fmt::format(
      "<svg class=\"hinton\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "role=\"img\" aria-label=\"Beliefs in the weights of {2}\">",
      width, height, escaped(w.name));
  out +=
      fmt::format("<rect class=\"cell\" x=\"{:.1f}\" y=\"0\" width=\"{:.1f}\" height=\"{:.1f}\"/>",
                  left, kCell * static_cast<double>(shown.units.size()), height - 20);
  for (std::size_t row = 0; row < shown.inputs.size(); ++row) {
    const double y = kCell * static_cast<double>(row);
    out += fmt::format("<text class=\"end\" x=\"{:.1f}\" y=\"{:.1f}\">{}<title>{}</title></text>\n",
                       left - 6, y + 10, escaped(shortened(w.inputs[shown.inputs[row]])),
                       escaped(w.inputs[shown.inputs[row]]));
    for (std::size_t column = 0; column < shown.units.size(); ++column)
      out += weight_mark(w, shown.units[column], shown.inputs[row],
                         left + kCell * static_cast<double>(column), y, shown.largest);
  }
  out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{} →</text></svg>\n", left, height - 6,
                     shown.units.size() == 1 ? "unit" : "units");
  return out;
}

std::string layer_card(const ReportWeights& w) {
  const Shown shown = choose(w);
  std::string what =
      fmt::format("{} weights: {} inputs, {} unit{}; the largest square is {}.",
                  count_text(w.mean.size()), count_text(w.inputs.size()), count_text(w.units),
                  w.units == 1 ? "" : "s", number_text(shown.largest));
  if (shown.units.size() < w.units || shown.inputs.size() < w.inputs.size())
    what += " Only the units and inputs with the clearest weights are drawn.";
  return card(w.name, what, "<div class=\"scroll\">" + picture(w, shown) + "</div>\n");
}

}  // namespace

std::string weight_part(const ReportContent& content) {
  if (content.weights.empty()) return "";
  std::string cards;
  for (const ReportWeights& weights : content.weights) cards += layer_card(weights);
  return fmt::format(
      "<p class=\"lead\">Every weight is a belief. The area of a filled square is the size of its "
      "mean, "
      "that of the outline its standard deviation: where the fill reaches beyond the outline, the "
      "mean is "
      "more "
      "than a standard deviation from zero.</p>\n{}<div class=\"natural\">\n{}</div>\n",
      legend(legend_entry(LegendMark::square, "one", "positive mean") +
             legend_entry(LegendMark::square, "two", "negative mean") +
             legend_entry(LegendMark::ring, "", "standard deviation")),
      cards);
}

}  // namespace postrider
