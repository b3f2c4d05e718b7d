// How training went.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "report/page/page.h"
#include "report/page/svg.h"
#include "report/page/text.h"

namespace postrider::internal {
namespace {

constexpr std::array<std::string_view, 4> kStyles{"one", "two", "three", "four"};

std::vector<double> epochs_of(const std::vector<double>& values) {
  std::vector<double> out;
  for (std::size_t i = 0; i < values.size(); ++i) out.push_back(static_cast<double>(i + 1));
  return out;
}

std::string style_of(std::size_t member, std::size_t members) {
  if (members <= kStyles.size()) return std::string(kStyles[member]);
  return "one many";
}

using Values = std::vector<double> ReportTraining::*;

double longest(const std::vector<ReportTraining>& all, Values values) {
  double out = 2;
  for (const ReportTraining& one : all)
    out = std::max(out, static_cast<double>((one.*values).size()));
  return out;
}

std::vector<double> joined(const std::vector<ReportTraining>& all, Values values) {
  std::vector<double> out;
  for (const ReportTraining& one : all)
    out.insert(out.end(), (one.*values).begin(), (one.*values).end());
  std::erase_if(out, [](double value) { return !std::isfinite(value); });
  return out;
}

// The first epochs may be far below all others: the picture then begins where most of them are.
Range score_range(std::vector<double> scores) {
  constexpr double kFarBelow = 3;
  if (scores.empty()) return {0, 1};
  std::sort(scores.begin(), scores.end());
  const double high = scores.back(), usual = scores[scores.size() / 4];
  const double low = std::max(scores.front(), usual - kFarBelow * (high - usual));
  return range_of(std::array<double, 2>{low, high}, 0.06);
}

std::string member_legend(const std::vector<ReportTraining>& all) {
  if (all.size() < 2) return "";
  std::string entries;
  if (all.size() <= kStyles.size()) {
    for (std::size_t m = 0; m < all.size(); ++m)
      entries += legend_entry(LegendMark::line, style_of(m, all.size()), all[m].name);
  } else {
    entries =
        legend_entry(LegendMark::line, "one many", fmt::format("each of {} networks", all.size()));
  }
  return legend(entries);
}

std::string score_card(const std::vector<ReportTraining>& all) {
  const Range range = score_range(joined(all, &ReportTraining::score));
  Plot plot({1, longest(all, &ReportTraining::score), "epoch"},
            {range.low, range.high, "score, nats"});
  for (std::size_t m = 0; m < all.size(); ++m) {
    const ReportTraining& one = all[m];
    const std::string style = style_of(m, all.size());
    plot.line(epochs_of(one.score), one.score, style, one.name);
    if (one.best_epoch == 0 || one.best_epoch > one.score.size()) continue;
    const double best = one.score[one.best_epoch - 1];
    plot.dot(static_cast<double>(one.best_epoch), best, all.size() > kStyles.size() ? 2.5 : 4,
             style.substr(0, style.find(' ')),
             fmt::format("{}: best after epoch {}, {} nats", one.name, one.best_epoch,
                         number_text(best, 4)));
  }
  return card(
      "Score",
      "Mean log-likelihood of each row, predicted by a network that has not learned it: higher is "
      "better. The dot is the epoch whose beliefs were kept.",
      plot.finish("Score after each epoch") + member_legend(all));
}

std::string noise_card(const std::vector<ReportTraining>& all) {
  const std::vector<double> noise = joined(all, &ReportTraining::noise);
  if (noise.empty()) return "";
  const double high = range_of(noise).high;
  Plot plot({1, longest(all, &ReportTraining::noise), "epoch"},
            {0, high, "noise, standard deviation"});
  for (std::size_t m = 0; m < all.size(); ++m)
    plot.line(epochs_of(all[m].noise), all[m].noise, style_of(m, all.size()), all[m].name);
  return card("Noise",
              "What the model takes for the spread of single observations. It levels off once the "
              "inputs explain what they can.",
              plot.finish("Standard deviation of the noise after each epoch") + member_legend(all));
}

}  // namespace

std::string training_part(const ReportContent& content) {
  if (content.training.empty()) return "";
  return fmt::format(
      "<p class=\"lead\">An epoch refreshes what every row has said. Training stops when the score "
      "no longer rises.</p>\n<div class=\"grid\">\n{}{}</div>\n",
      score_card(content.training), noise_card(content.training));
}

// --- Hinton diagrams of the beliefs in the weights.

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

}  // namespace postrider::internal
