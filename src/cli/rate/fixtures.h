// Games to come, as `postrider rate` predicts them.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/rate/games.h"
#include "postrider/skill_history.h"

namespace postrider::cli {

struct PredictedFixture {
  std::vector<std::string> first, second;  // the players of the two sides
  MatchPrediction prediction;
};

// The history is a copy: it gets the players that are new in these games.
std::vector<PredictedFixture> predict_fixtures(const GameFile& fixtures, SkillHistory history);

void write_csv(const std::vector<PredictedFixture>& fixtures, std::ostream& out);

}  // namespace postrider::cli
