// Games to come, as `postrider rate` predicts them.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "postrider/game_file.h"
#include "postrider/skill_history.h"

namespace postrider::cli {

struct PredictedFixture {
  std::vector<std::vector<std::string>> sides;  // the players of each
  MatchPrediction prediction;
};

// How the CSV begins.
inline constexpr const char* kFixtureColumns = "first,second,win,draw,loss,quality";

// The history is a copy: it gets the players that are new in these games.
// Throws CorruptFile, naming file and line, for a game that cannot be.
std::vector<PredictedFixture> predict_fixtures(const GameFile& fixtures, const std::string& path,
                                               SkillHistory history);

// A line for each game of two sides. Of more sides, a line for each of them against the others: to win is to be first.
void write_csv(const std::vector<PredictedFixture>& fixtures, std::ostream& out);

}  // namespace postrider::cli
