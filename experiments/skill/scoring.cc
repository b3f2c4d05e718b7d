#include "scoring.h"

#include <algorithm>
#include <cmath>

namespace postrider::experiments {

void OutcomeScore::add(const skill::Prediction& predicted, std::size_t happened) {
  const std::array<double, 3> p{predicted.win, predicted.draw, predicted.loss};
  ++games_;
  loss_ -= std::log(p[happened]);
  hits_ += *std::max_element(p.begin(), p.end()) == p[happened] ? 1 : 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t bin = std::min(kBins - 1, static_cast<std::size_t>(p[k] * kBins));
    probability_[bin] += p[k];
    share_[bin] += k == happened ? 1 : 0;
    count_[bin] += 1;
  }
}

double OutcomeScore::calibration_error() const {
  double sum = 0, all = 0;
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    sum += std::abs(share_[bin] - probability_[bin]);
    all += count_[bin];
  }
  return sum / all;
}

Object OutcomeScore::calibration() const {
  std::vector<double> probability, share, count;
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    if (count_[bin] == 0) continue;
    probability.push_back(probability_[bin] / count_[bin]);
    share.push_back(share_[bin] / count_[bin]);
    count.push_back(count_[bin]);
  }
  return {{"probability", {probability}}, {"share", {share}}, {"predictions", {count}}};
}

std::size_t outcome_of(const skill::SkillHistory::Match& match) {
  const double a = match.teams[0].score, b = match.teams[1].score;
  return a > b ? 0 : a == b ? 1 : 2;
}

skill::Prediction base_rate(const std::vector<skill::SkillHistory::Match>& matches,
                            std::size_t end) {
  std::array<double, 3> count{};
  for (std::size_t i = 0; i < end; ++i)
    count[outcome_of(matches[i])] += 1.0 / static_cast<double>(end);
  return {count[0], count[1], count[2]};
}

Object settings_of(const skill::SkillHistory::LearnReport& report) {
  Object out;
  for (const skill::SkillHistory::LearnedSetting& one : report.settings)
    out.push_back({one.name,
                   {Object{{"value", {one.value}},
                           {"uncertainty", {one.uncertainty}},
                           {"relative", {one.relative}}}}});
  return out;
}

}  // namespace postrider::experiments
