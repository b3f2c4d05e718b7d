// How training went.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cli/report/sections.h"
#include "cli/report/svg.h"
#include "cli/report/text.h"

namespace postrider {
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

}  // namespace postrider
