// Games between two sides, in the order of time, as the experiments with skills read them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "postrider/skill/history.h"

namespace postrider::experiments {

struct Game {
  std::uint32_t a, b;
  skill::SkillRating::Outcome outcome;  // of a
  double days;                          // since 1970-01-01
  bool at_home;                         // whether a has the advantage of the ground
  int score_a, score_b;
};

struct Games {
  std::vector<Game> games;
  std::size_t players = 0;
  std::vector<std::string> names;  // of the players
  std::size_t first_test = 0;      // games before this one may be learnt from at leisure
};

// skill/halo2-beta/head_to_head.csv; the last half of the games are the test part.
Games read_halo2(const std::string& data);
// skill/international-football/results.csv.zst; the test part begins with 2018.
Games read_football(const std::string& data);

// As SkillHistory takes it.
skill::SkillHistory::Match match_of(const Game& game);

// Games of two teams of several players.
struct TeamGames {
  std::vector<skill::SkillHistory::Match> games;
  std::size_t players = 0;
  std::size_t first_test = 0;
};
// skill/halo2-beta/large_team.csv; the last half of the games are the test part.
TeamGames read_large_teams(const std::string& data);

}  // namespace postrider::experiments
