// How good probabilities of outcomes are.
#pragma once

#include <array>
#include <vector>

#include "common/result.h"
#include "postrider/skill/history.h"

namespace postrider::experiments {

// Log-loss, accuracy and calibration over win, draw and loss.
class OutcomeScore {
 public:
  void add(const skill::Prediction& predicted, std::size_t happened);  // 0: win, 1: draw, 2: loss

  std::size_t games() const { return games_; }
  double log_loss() const { return loss_ / static_cast<double>(games_); }
  double accuracy() const { return static_cast<double>(hits_) / static_cast<double>(games_); }
  // How far shares lie from probabilities, over all outcomes in bins of a tenth, weighted by how many predictions are in each.
  double calibration_error() const;
  // Mean probability, share that came about and number of predictions, bin by bin.
  Object calibration() const;

 private:
  static constexpr std::size_t kBins = 10;
  std::size_t games_ = 0, hits_ = 0;
  double loss_ = 0;
  std::array<double, kBins> probability_{}, share_{}, count_{};
};

std::size_t outcome_of(const skill::SkillHistory::Match& match);  // of its first team by the scores

// The shares of the outcomes in some games: what to beat.
skill::Prediction base_rate(const std::vector<skill::SkillHistory::Match>& matches,
                            std::size_t end);

Object settings_of(const skill::SkillHistory::LearnReport& report);

}  // namespace postrider::experiments
