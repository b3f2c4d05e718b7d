// postrider rate: skills of players through time, from a file of games.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/data.h"
#include "cli/exit_code.h"
#include "cli/rate/games.h"
#include "postrider/skill_history.h"

namespace postrider::cli {

struct RateRequest {
  DataRequest data;
  GameColumns columns;
  std::string fixtures;     // games to predict; empty: none
  std::string predictions;  // where their predictions go
  std::string output;       // where the history goes; empty: nowhere
  std::string resume;       // a history to go on with; empty: begin anew
  std::string page;         // where the page goes; empty: nowhere
  std::string title;
  bool force = false, quiet = false, json = false;
  std::size_t top = 20;            // of the leaderboard
  double active_days = 0;          // who has not played for longer is left out; 0: nobody
  SkillOptions settings;           // those that the user gave
  std::vector<std::string> fixed;  // their names
};

ExitCode rate(const RateRequest& request);

}  // namespace postrider::cli
