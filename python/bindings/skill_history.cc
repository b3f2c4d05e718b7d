// Skills through time. Players and games are numbers here; postrider.skill_history knows their names.
#include "postrider/skill_history.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "bindings.h"
#include "postrider/game_file.h"

namespace nb = nanobind;

namespace postrider::python {
namespace {

// Players, their shares, rank, score, handicap, and whether it is at home.
using Side =
    std::tuple<std::vector<std::uint32_t>, std::vector<double>, double, double, double, bool>;

Match match_of(double time, const std::vector<Side>& sides) {
  Match out;
  out.time = time;
  for (const Side& side : sides) {
    MatchTeam team;
    const auto& [players, shares, rank, score, handicap, at_home] = side;
    for (std::size_t i = 0; i < players.size(); ++i)
      team.players.push_back({{players[i]}, i < shares.size() ? shares[i] : 1});
    team.rank = rank;
    team.score = score;
    team.handicap = handicap;
    team.at_home = at_home;
    out.teams.push_back(std::move(team));
  }
  return out;
}

SkillOptions options_of(const std::map<std::string, double>& settings, bool margin_grows) {
  SkillOptions out;
  for (const auto& [name, value] : settings) set_skill_option(out, name, value, Spelling::python);
  out.margin_grows = margin_grows;
  return out;
}

std::map<std::string, double> settings_of(const SkillHistory& self) {
  std::map<std::string, double> out;
  for (const OptionInfo& info : skill_options())
    out[std::string(info.python)] = get_skill_option(self.options(), info.name);
  return out;
}

using Report = std::tuple<std::size_t, std::size_t, double, bool>;
Report report_of(const SmoothReport& report) {
  return {report.sweeps, report.games, report.change, report.converged};
}

using Curve = std::tuple<std::vector<double>, std::vector<double>, std::vector<double>>;
Curve curve(const SkillHistory& self, std::uint32_t player) {
  Curve out;
  for (const SkillPoint& point : self.curve({player})) {
    std::get<0>(out).push_back(point.time);
    std::get<1>(out).push_back(point.skill.mean());
    std::get<2>(out).push_back(point.skill.std());
  }
  return out;
}

using Learned = std::tuple<std::vector<std::tuple<std::string, double, double, bool>>, double,
                           std::size_t, bool>;
Learned learn(SkillHistory& self, const std::vector<std::string>& fixed, double score_from,
              bool resume) {
  const LearnReport report =
      self.learn({.fixed = fixed, .score_from = score_from, .resume = resume});
  Learned out{{}, report.log_loss, report.games, report.converged};
  for (const LearnedSetting& one : report.settings)
    std::get<0>(out).emplace_back(one.name, one.value, one.uncertainty, one.relative);
  return out;
}

std::tuple<double, double, double, std::vector<double>, double> predict(
    const SkillHistory& self, double time, const std::vector<Side>& sides) {
  const MatchPrediction out = self.predict(match_of(time, sides));
  return {out.outcome.win, out.outcome.draw, out.outcome.loss, out.rank, out.quality};
}

std::vector<std::vector<std::uint32_t>> fair_teams(const SkillHistory& self,
                                                   const std::vector<std::uint32_t>& players,
                                                   std::size_t teams, double time) {
  std::vector<Player> numbered;
  for (const std::uint32_t player : players) numbered.push_back({player});
  std::vector<std::vector<std::uint32_t>> out;
  for (const std::vector<Player>& team : self.fair_teams(numbered, teams, time)) {
    out.emplace_back();
    for (const Player player : team) out.back().push_back(player.index);
  }
  return out;
}

// Columns that are named must be there; the others are looked for by their usual names.
void add_file(SkillHistory& self, const std::string& path,
              const std::map<std::string, std::string>& named, bool at_home) {
  const nb::gil_scoped_release released;
  const std::map<std::string, std::string GameColumns::*> fields{
      {"time", &GameColumns::time},
      {"first", &GameColumns::first},
      {"second", &GameColumns::second},
      {"first_score", &GameColumns::first_score},
      {"second_score", &GameColumns::second_score},
      {"neutral", &GameColumns::neutral}};
  GameColumns columns{.first_at_home = at_home};
  for (const auto& [role, name] : named) columns.*fields.at(role) = name;
  GameSource source = game_source(path);
  source.spelling = Spelling::python;
  GameFile file = read_games(source, columns);
  if (!at_home)
    for (NamedMatch& one : file.matches) one.match.teams.front().at_home = false;
  add_games(file, path, self);
}

}  // namespace

void add_skill_history(nb::module_& m) {
  nb::class_<SkillHistory>(m, "SkillHistory")
      .def(
          "__init__",
          [](SkillHistory* at, const std::map<std::string, double>& settings, bool margin_grows) {
            new (at) SkillHistory(options_of(settings, margin_grows));
          },
          nb::arg("settings"), nb::arg("margin_grows"))
      .def(
          "add_player",
          [](SkillHistory& self, std::string name) {
            return self.add_player(std::move(name)).index;
          },
          nb::arg("name"))
      .def(
          "find",
          [](const SkillHistory& self, const std::string& name) -> std::optional<std::uint32_t> {
            const std::optional<Player> found = self.find(name);
            return found ? std::optional(found->index) : std::nullopt;
          },
          nb::arg("name"))
      .def(
          "name",
          [](const SkillHistory& self, std::uint32_t player) { return self.name({player}); },
          nb::arg("player"))
      .def("player_count", &SkillHistory::player_count)
      .def("game_count", &SkillHistory::game_count)
      .def(
          "add",
          [](SkillHistory& self, double time, const std::vector<Side>& sides) {
            return self.add(match_of(time, sides)).index;
          },
          nb::arg("time"), nb::arg("sides"))
      .def("add_file", add_file, nb::arg("path"), nb::arg("columns"), nb::arg("at_home"))
      .def(
          "remove", [](SkillHistory& self, std::uint32_t game) { self.remove({game}); },
          nb::arg("game"))
      .def(
          "match",
          [](const SkillHistory& self, std::uint32_t game) {
            const Match match = self.match({game});
            std::vector<std::vector<std::uint32_t>> teams;
            for (const MatchTeam& team : match.teams) {
              teams.emplace_back();
              for (const Participant& one : team.players) teams.back().push_back(one.player.index);
            }
            return std::make_tuple(match.time, teams);
          },
          nb::arg("game"))
      .def("filter", &SkillHistory::filter)
      .def(
          "smooth",
          [](SkillHistory& self, double tolerance, std::size_t max_sweeps) {
            const nb::gil_scoped_release release;
            return report_of(self.smooth({tolerance, max_sweeps}));
          },
          nb::arg("tolerance"), nb::arg("max_sweeps"))
      .def(
          "refresh",
          [](SkillHistory& self, double tolerance, std::size_t max_sweeps) {
            return report_of(self.refresh({tolerance, max_sweeps}));
          },
          nb::arg("tolerance"), nb::arg("max_sweeps"))
      .def("learn", learn, nb::arg("fixed"), nb::arg("score_from"), nb::arg("resume"))
      .def("settings", settings_of)
      .def("predict", predict, nb::arg("time"), nb::arg("sides"))
      .def(
          "log_probability",
          [](const SkillHistory& self, std::uint32_t game) { return self.log_probability({game}); },
          nb::arg("game"))
      .def("log_evidence", &SkillHistory::log_evidence)
      .def(
          "rating",
          [](const SkillHistory& self, std::uint32_t player) { return self.rating({player}); },
          nb::arg("player"))
      .def(
          "last_game",
          [](const SkillHistory& self, std::uint32_t player) { return self.last_game({player}); },
          nb::arg("player"))
      .def(
          "games_of",
          [](const SkillHistory& self, std::uint32_t player) { return self.games_of({player}); },
          nb::arg("player"))
      .def(
          "home_advantage",
          [](const SkillHistory& self, std::uint32_t player) {
            return self.home_advantage({player});
          },
          nb::arg("player"))
      .def("curve", curve, nb::arg("player"))
      .def(
          "leaderboard",
          [](const SkillHistory& self, double deviations, double active_since) {
            std::vector<std::uint32_t> out;
            for (const Standing& one : self.leaderboard(deviations, active_since))
              out.push_back(one.player.index);
            return out;
          },
          nb::arg("deviations"), nb::arg("active_since"))
      .def(
          "upsets",
          [](const SkillHistory& self, std::size_t most) {
            std::vector<std::tuple<std::uint32_t, double>> out;
            for (const Upset& one : self.upsets(most))
              out.emplace_back(one.game.index, one.probability);
            return out;
          },
          nb::arg("most"))
      .def("fair_teams", fair_teams, nb::arg("players"), nb::arg("teams"), nb::arg("time"))
      .def("save", &SkillHistory::save, nb::arg("path"))
      .def_static("load", &SkillHistory::load, nb::arg("path"));
}

}  // namespace postrider::python
