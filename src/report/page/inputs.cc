// Which inputs matter: by permutation, and from the beliefs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "report/page/download.h"
#include "report/page/page.h"
#include "report/page/svg.h"
#include "report/page/text.h"

namespace postrider::internal {
namespace {

constexpr std::size_t kMostShown = 20;

struct Bar {
  std::string name;
  double value = 0, error = 0;
  std::string note = {};  // behind the value
};

// From the lowest to the highest end of any bar, zero included, in hundredths of the width.
class Scale {
 public:
  explicit Scale(const std::vector<Bar>& bars) {
    for (const Bar& bar : bars) {
      low_ = std::min(low_, bar.value - bar.error);
      high_ = std::max(high_, bar.value + bar.error);
    }
    if (!(high_ > low_)) high_ = low_ + 1;
  }
  double at(double value) const { return 100 * (value - low_) / (high_ - low_); }

 private:
  double low_ = 0, high_ = 0;
};

std::string bar_row(const Bar& bar, const Scale& scale) {
  const double zero = scale.at(0), end = scale.at(bar.value);
  const std::string value = with_error_text(bar.value, bar.error) + bar.note;
  return fmt::format(
      "<div><span class=\"name\" title=\"{0}\">{0}</span>"
      "<svg viewBox=\"0 0 100 16\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{0}: "
      "{1}\">"
      "<title>{0}: {1}</title>"
      "<rect class=\"{2}\" x=\"{3:.2f}\" y=\"3\" width=\"{4:.2f}\" height=\"10\"/>"
      "<path class=\"whisker\" d=\"M{5:.2f} 8H{6:.2f}\"/><path class=\"axis\" d=\"M{7:.2f} "
      "0V16\"/></svg>"
      "<span class=\"value\">{1}</span></div>\n",
      escaped(bar.name), value, bar.value < 0 ? "two" : "one", std::min(zero, end),
      std::abs(end - zero), scale.at(bar.value - bar.error), scale.at(bar.value + bar.error), zero);
}

std::string bars_of(const std::vector<Bar>& all) {
  const std::vector<Bar> shown(
      all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), kMostShown)));
  const Scale scale(shown);
  std::string out = "<div class=\"bars\">\n";
  for (const Bar& bar : shown) out += bar_row(bar, scale);
  out += "</div>\n";
  if (all.size() > shown.size())
    out += fmt::format("<p class=\"note\">The {} with the largest effect of {}.</p>\n",
                       shown.size(), count_text(all.size()));
  return out;
}

// All of them are in the table, also those that are too many to be drawn.
std::string bars_with_table(std::string_view file_name, const std::vector<Bar>& all) {
  TableBehind table({"input", "loss", "standard error"});
  for (const Bar& bar : all) table.text(bar.name).number(bar.value).number(bar.error).end_row();
  return bars_of(all) + table.link(file_name);
}

// Largest first by what `size` says.
std::vector<Bar> sorted_bars(std::vector<ReportImportance> all,
                             const std::function<double(const ReportImportance&)>& size,
                             const std::function<Bar(const ReportImportance&)>& make) {
  std::stable_sort(
      all.begin(), all.end(),
      [&](const ReportImportance& a, const ReportImportance& b) { return size(a) > size(b); });
  std::vector<Bar> out;
  for (const ReportImportance& one : all) out.push_back(make(one));
  return out;
}

std::string interaction_card(const std::vector<Interaction>& pairs) {
  std::vector<Bar> bars;
  for (const Interaction& one : pairs)
    bars.push_back(
        {one.first + " and " + one.second, 100 * one.share, 100 * one.standard_error, " %"});
  return card("These inputs act together",
              "The share of what predictions vary by that is the joint effect of two inputs, "
              "beyond the sum of the effect of each: what one of them does depends on the other.",
              bars_of(bars));
}

}  // namespace

std::string importance_part(const ReportContent& content) {
  std::vector<ReportImportance> permuted, sloped;
  for (const ReportImportance& one : content.importances) {
    if (one.loss) permuted.push_back(one);
    if (one.slope) sloped.push_back(one);
  }
  if (permuted.empty() && sloped.empty()) return "";
  std::string cards;
  if (!permuted.empty())
    cards += card(
        "Without this input, predictions lose",
        "Nats per row that are lost when the values of one input are shuffled over the rows; "
        "the line shows the standard error over rows. In brackets: by how much the typical "
        "error, or of classes the log-loss, is larger then. Around zero the model does not "
        "need the input, or has it from another one.",
        bars_with_table("importance.csv",
                        sorted_bars(
                            permuted, [](const ReportImportance& i) { return *i.loss; },
                            [](const ReportImportance& i) {
                              return Bar{i.input, *i.loss, i.loss_error.value_or(0),
                                         i.error_growth
                                             ? fmt::format(" ({})", growth_text(*i.error_growth))
                                             : ""};
                            })));
  if (!sloped.empty())
    cards +=
        card("When this input rises, the prediction moves",
             "Standard deviations of the target for one standard deviation of the input, as the "
             "weight beliefs have "
             "it for an average row. The line is one standard deviation: how much it varies with "
             "what is "
             "not known of the weights and with where the row lies.",
             bars_of(sorted_bars(
                 sloped,
                 [](const ReportImportance& i) { return i.strength.value_or(std::abs(*i.slope)); },
                 [](const ReportImportance& i) {
                   return Bar{i.input, *i.slope, i.slope_deviation.value_or(0)};
                 })));
  if (!content.interactions.empty()) cards += interaction_card(content.interactions);
  return fmt::format(
      "<p class=\"lead\">Answers that need not agree: what predictions would lose, "
      "and how the model moves.</p>\n<div class=\"grid\">\n{}</div>\n",
      cards);
}

// --- How predictions move with one input.

namespace {

constexpr double kHeight = 220;

Range vertical(const PartialDependence& d) {
  std::vector<double> all = d.low;
  all.insert(all.end(), d.high.begin(), d.high.end());
  return range_of(all, 0.08);
}

std::string curve(const PartialDependence& d) {
  const Range y = vertical(d), x = range_of(d.x, 0);
  Plot plot({x.low, x.high, d.column}, {y.low, y.high, d.output}, kHeight);
  plot.band(d.x, d.low, d.high, "area");
  plot.line(d.x, d.mean, "one", "mean over rows");
  return plot.finish(fmt::format("{} against {}", d.output, d.column));
}

// From the largest mean down, a dot with its band.
std::string dots(const PartialDependence& d) {
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

std::string table_of(const PartialDependence& d) {
  TableBehind table({d.column, "mean", "low", "high"});
  for (std::size_t k = 0; k < d.mean.size(); ++k) {
    if (d.names.empty())
      table.number(d.x[k]);
    else
      table.text(d.names[k]);
    table.number(d.mean[k]).number(d.low[k]).number(d.high[k]).end_row();
  }
  return table.link("dependence.csv");
}

}  // namespace

std::string dependence_part(const ReportContent& content) {
  if (content.dependences.empty()) return "";
  std::string cards;
  for (const PartialDependence& one : content.dependences)
    cards += card(escaped(one.column), fmt::format("{}.", escaped(one.output)),
                  (one.names.empty() ? curve(one) : dots(one)) + table_of(one));
  return fmt::format(
      "<p class=\"lead\">What is predicted when one input is set to a value in all rows and the "
      "others stay as they are. The line is the mean over rows, the band holds the middle 80 % of "
      "them: where it is wide, the other inputs matter as well.</p>\n<div "
      "class=\"grid\">\n{}</div>\n",
      cards);
}

}  // namespace postrider::internal
