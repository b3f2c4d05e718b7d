// Rates games that it reads from standard input, and writes what it found: the other side of packages.py.
//
//   option NAME VALUE
//   players COUNT
//   match TIME TEAMS, then for each team: RANK SCORE HOME COUNT, then for each player: NUMBER SHARE
//   end filter | smooth TOLERANCE SWEEPS
//
// Each `end` writes one line of JSON and begins anew.
#include <cstdio>
#include <iostream>
#include <string>

#include "common/processor_time.h"
#include "postrider/skill/history.h"

namespace {

using namespace postrider;

skill::SkillHistory::Match read_match(std::istream& in) {
  skill::SkillHistory::Match out;
  std::size_t teams = 0;
  in >> out.time >> teams;
  out.teams.resize(teams);
  for (skill::SkillHistory::Team& team : out.teams) {
    std::string rank, score;
    std::size_t players = 0;
    in >> rank >> score >> team.at_home >> players;
    team.rank = std::stod(rank);
    team.score = std::stod(score);
    team.players.resize(players);
    for (skill::SkillHistory::Participant& one : team.players) in >> one.player.index >> one.share;
  }
  return out;
}

void print(const skill::SkillHistory& history, double adding, double smoothing,
           const skill::SkillHistory::SmoothReport& report) {
  std::printf(
      "{\"adding_seconds\": %.17g, \"smoothing_seconds\": %.17g, \"sweeps\": %zu, \"converged\": "
      "%s, "
      "\"log_evidence\": %.17g, \"leave_one_out\": %.17g, \"mean\": [",
      adding, smoothing, report.sweeps, report.converged ? "true" : "false", history.log_evidence(),
      history.leave_one_out());
  const auto count = static_cast<std::uint32_t>(history.player_count());
  for (std::uint32_t i = 0; i < count; ++i)
    std::printf("%s%.17g", i == 0 ? "" : ", ", history.rating({i}).mean());
  std::printf("], \"std\": [");
  for (std::uint32_t i = 0; i < count; ++i)
    std::printf("%s%.17g", i == 0 ? "" : ", ", history.rating({i}).std());
  std::printf("]}\n");
}

}  // namespace

int main() {
  skill::SkillOptions options;
  std::size_t players = 0;
  std::vector<skill::SkillHistory::Match> matches;
  for (std::string word; std::cin >> word;) {
    if (word == "option") {
      std::string name;
      double value = 0;
      std::cin >> name >> value;
      if (name == "margin_grows")
        options.margin_grows = value != 0;
      else
        skill::set_skill_option(options, name, value);
    } else if (word == "players") {
      std::cin >> players;
    } else if (word == "match") {
      matches.push_back(read_match(std::cin));
    } else if (word == "end") {
      std::string how;
      std::cin >> how;
      skill::SkillHistory history(options);
      for (std::size_t i = 0; i < players; ++i) history.add_player();
      const double begin = experiments::processor_seconds();
      for (const skill::SkillHistory::Match& match : matches) history.add(match);
      const double added = experiments::processor_seconds();
      skill::SkillHistory::SmoothReport report;
      if (how == "smooth") {
        skill::SkillHistory::SmoothOptions smooth;
        std::cin >> smooth.tolerance >> smooth.max_sweeps;
        report = history.smooth(smooth);
      }
      print(history, added - begin, experiments::processor_seconds() - added, report);
      matches.clear();
    } else {
      std::cerr << "unknown word " << word << "\n";
      return 2;
    }
  }
}
