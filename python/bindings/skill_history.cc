// Skills through time. Players and games are numbers here; postrider.skill_history knows their names.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "bindings.h"
#include "postrider/skill/game_file.h"
#include "postrider/skill/history.h"

namespace nb = nanobind;

namespace postrider::python {
namespace {

// Players, their shares, rank, score, handicap, and whether it is at home.
using Side =
    std::tuple<std::vector<std::uint32_t>, std::vector<double>, double, double, double, bool>;

skill::SkillHistory::Match match_of(double time, const std::vector<Side>& sides) {
  skill::SkillHistory::Match out;
  out.time = time;
  for (const Side& side : sides) {
    skill::SkillHistory::Team team;
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

skill::SkillOptions options_of(const std::map<std::string, double>& settings, bool margin_grows) {
  skill::SkillOptions out;
  for (const auto& [name, value] : settings)
    skill::set_skill_option(out, name, value, OptionInfo::Spelling::python);
  out.margin_grows = margin_grows;
  return out;
}

std::map<std::string, double> settings_of(const skill::SkillHistory& self) {
  std::map<std::string, double> out;
  for (const OptionInfo& info : skill::skill_options())
    out[std::string(info.python)] = skill::get_skill_option(self.options(), info.name);
  return out;
}

using Report = std::tuple<std::size_t, std::size_t, double, bool>;
Report report_of(const skill::SkillHistory::SmoothReport& report) {
  return {report.sweeps, report.games, report.change, report.converged};
}

using Curve = std::tuple<std::vector<double>, std::vector<double>, std::vector<double>>;
Curve curve(const skill::SkillHistory& self, std::uint32_t player) {
  Curve out;
  for (const skill::SkillHistory::Point& point : self.curve({player})) {
    std::get<0>(out).push_back(point.time);
    std::get<1>(out).push_back(point.skill.mean());
    std::get<2>(out).push_back(point.skill.std());
  }
  return out;
}

using Learned = std::tuple<std::vector<std::tuple<std::string, double, double, bool>>, double,
                           std::size_t, bool>;
Learned learn(skill::SkillHistory& self, const std::vector<std::string>& fixed, double score_from,
              bool resume) {
  const skill::SkillHistory::LearnReport report =
      self.learn({.fixed = fixed, .score_from = score_from, .resume = resume});
  Learned out{{}, report.log_loss, report.games, report.converged};
  for (const skill::SkillHistory::LearnedSetting& one : report.settings)
    std::get<0>(out).emplace_back(one.name, one.value, one.uncertainty, one.relative);
  return out;
}

std::tuple<double, double, double, std::vector<double>, double> predict(
    const skill::SkillHistory& self, double time, const std::vector<Side>& sides) {
  const skill::SkillHistory::Forecast out = self.predict(match_of(time, sides));
  return {out.outcome.win, out.outcome.draw, out.outcome.loss, out.rank, out.quality};
}

std::vector<std::vector<std::uint32_t>> fair_teams(const skill::SkillHistory& self,
                                                   const std::vector<std::uint32_t>& players,
                                                   std::size_t teams, double time) {
  std::vector<skill::Player> numbered;
  for (const std::uint32_t player : players) numbered.push_back({player});
  std::vector<std::vector<std::uint32_t>> out;
  for (const std::vector<skill::Player>& team : self.fair_teams(numbered, teams, time)) {
    out.emplace_back();
    for (const skill::Player player : team) out.back().push_back(player.index);
  }
  return out;
}

// Columns that are named must be there; the others are looked for by their usual names.
void add_file(skill::SkillHistory& self, const std::string& path,
              const std::map<std::string, std::string>& named, bool at_home) {
  const nb::gil_scoped_release released;
  const std::map<std::string, std::string skill::GameFile::Columns::*> fields{
      {"time", &skill::GameFile::Columns::time},
      {"first", &skill::GameFile::Columns::first},
      {"second", &skill::GameFile::Columns::second},
      {"first_score", &skill::GameFile::Columns::first_score},
      {"second_score", &skill::GameFile::Columns::second_score},
      {"neutral", &skill::GameFile::Columns::neutral}};
  skill::GameFile::Columns columns{.first_at_home = at_home};
  for (const auto& [role, name] : named) columns.*fields.at(role) = name;
  skill::GameFile::Source source = skill::game_source(path);
  source.spelling = OptionInfo::Spelling::python;
  skill::GameFile file = skill::read_games(source, columns);
  if (!at_home)
    for (skill::GameFile::NamedMatch& one : file.matches) one.match.teams.front().at_home = false;
  skill::add_games(file, path, self);
}

}  // namespace

void add_skill_history(nb::module_& m) {
  nb::class_<skill::SkillHistory>(m, "SkillHistory")
      .def(
          "__init__",
          [](skill::SkillHistory* at, const std::map<std::string, double>& settings,
             bool margin_grows) {
            new (at) skill::SkillHistory(options_of(settings, margin_grows));
          },
          nb::arg("settings"), nb::arg("margin_grows"))
      .def(
          "add_player",
          [](skill::SkillHistory& self, std::string name) {
            return self.add_player(std::move(name)).index;
          },
          nb::arg("name"))
      .def(
          "find",
          [](const skill::SkillHistory& self,
             const std::string& name) -> std::optional<std::uint32_t> {
            const std::optional<skill::Player> found = self.find(name);
            return found ? std::optional(found->index) : std::nullopt;
          },
          nb::arg("name"))
      .def(
          "name",
          [](const skill::SkillHistory& self, std::uint32_t player) { return self.name({player}); },
          nb::arg("player"))
      .def("player_count", &skill::SkillHistory::player_count)
      .def("game_count", &skill::SkillHistory::game_count)
      .def(
          "add",
          [](skill::SkillHistory& self, double time, const std::vector<Side>& sides) {
            return self.add(match_of(time, sides)).index;
          },
          nb::arg("time"), nb::arg("sides"))
      .def("add_file", add_file, nb::arg("path"), nb::arg("columns"), nb::arg("at_home"))
      .def(
          "remove", [](skill::SkillHistory& self, std::uint32_t game) { self.remove({game}); },
          nb::arg("game"))
      .def(
          "match",
          [](const skill::SkillHistory& self, std::uint32_t game) {
            const skill::SkillHistory::Match match = self.match({game});
            std::vector<std::vector<std::uint32_t>> teams;
            for (const skill::SkillHistory::Team& team : match.teams) {
              teams.emplace_back();
              for (const skill::SkillHistory::Participant& one : team.players)
                teams.back().push_back(one.player.index);
            }
            return std::make_tuple(match.time, teams);
          },
          nb::arg("game"))
      .def("filter", &skill::SkillHistory::filter)
      .def(
          "smooth",
          [](skill::SkillHistory& self, double tolerance, std::size_t max_sweeps) {
            const nb::gil_scoped_release release;
            return report_of(self.smooth({tolerance, max_sweeps}));
          },
          nb::arg("tolerance"), nb::arg("max_sweeps"))
      .def(
          "refresh",
          [](skill::SkillHistory& self, double tolerance, std::size_t max_sweeps) {
            return report_of(self.refresh({tolerance, max_sweeps}));
          },
          nb::arg("tolerance"), nb::arg("max_sweeps"))
      .def("learn", learn, nb::arg("fixed"), nb::arg("score_from"), nb::arg("resume"))
      .def("settings", settings_of)
      .def("predict", predict, nb::arg("time"), nb::arg("sides"))
      .def(
          "log_probability",
          [](const skill::SkillHistory& self, std::uint32_t game) {
            return self.log_probability({game});
          },
          nb::arg("game"))
      .def("log_evidence", &skill::SkillHistory::log_evidence)
      .def(
          "rating",
          [](const skill::SkillHistory& self, std::uint32_t player) {
            return self.rating({player});
          },
          nb::arg("player"))
      .def(
          "last_game",
          [](const skill::SkillHistory& self, std::uint32_t player) {
            return self.last_game({player});
          },
          nb::arg("player"))
      .def(
          "games_of",
          [](const skill::SkillHistory& self, std::uint32_t player) {
            return self.games_of({player});
          },
          nb::arg("player"))
      .def(
          "home_advantage",
          [](const skill::SkillHistory& self, std::uint32_t player) {
            return self.home_advantage({player});
          },
          nb::arg("player"))
      .def("curve", curve, nb::arg("player"))
      .def(
          "leaderboard",
          [](const skill::SkillHistory& self, double deviations, double active_since) {
            std::vector<std::uint32_t> out;
            for (const skill::Standing& one : self.leaderboard(deviations, active_since))
              out.push_back(one.player.index);
            return out;
          },
          nb::arg("deviations"), nb::arg("active_since"))
      .def(
          "upsets",
          [](const skill::SkillHistory& self, std::size_t most) {
            std::vector<std::tuple<std::uint32_t, double>> out;
            for (const skill::SkillHistory::Upset& one : self.upsets(most))
              out.emplace_back(one.game.index, one.probability);
            return out;
          },
          nb::arg("most"))
      .def("fair_teams", fair_teams, nb::arg("players"), nb::arg("teams"), nb::arg("time"))
      .def("save", &skill::SkillHistory::save, nb::arg("path"))
      .def_static("load", &skill::SkillHistory::load, nb::arg("path"));
}

}  // namespace postrider::python
