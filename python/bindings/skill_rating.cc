// Skill ratings. Players are numbers here; postrider.skill_rating knows their names.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "bindings.h"
#include "message_arrays.h"
#include "names.h"
#include "postrider/skill/rating.h"

namespace postrider::python {
namespace {

using Team = std::vector<std::uint32_t>;

std::vector<skill::Player> players(const Team& team) {
  std::vector<skill::Player> out;
  out.reserve(team.size());
  for (const std::uint32_t index : team) out.push_back({index});
  return out;
}

skill::SkillRating::Outcome outcome_by_name(std::string_view name) {
  constexpr Names<skill::SkillRating::Outcome, 3> kNames{
      {{"win", skill::SkillRating::Outcome::win},
       {"draw", skill::SkillRating::Outcome::draw},
       {"loss", skill::SkillRating::Outcome::loss}}};
  return by_name("outcome", name, kNames);
}

std::tuple<double, double, double> predict(const skill::SkillRating& self, const Team& team_a,
                                           const Team& team_b, double time, double advantage) {
  const skill::Prediction out = self.predict(players(team_a), players(team_b), time, advantage);
  return {out.win, out.draw, out.loss};
}

void update(skill::SkillRating& self, const Team& team_a, const Team& team_b,
            const std::string& outcome, double time, double advantage) {
  self.update(players(team_a), players(team_b), outcome_by_name(outcome), time, advantage);
}

std::vector<std::uint32_t> leaderboard(const skill::SkillRating& self) {
  std::vector<std::uint32_t> out;
  for (const skill::Standing& standing : self.leaderboard()) out.push_back(standing.player.index);
  return out;
}

}  // namespace

void add_skill_rating(nb::module_& m) {
  nb::class_<skill::SkillRating>(m, "SkillRating")
      .def(
          "__init__",
          [](skill::SkillRating* at, double mean, double std_of_skill, double performance_std,
             double dynamics_std, double draw_margin) {
            new (at) skill::SkillRating(
                {mean, std_of_skill, performance_std, dynamics_std, draw_margin});
          },
          nb::arg("mean"), nb::arg("std"), nb::arg("performance_std"), nb::arg("dynamics_std"),
          nb::arg("draw_margin"))
      .def(
          "add_player",
          [](skill::SkillRating& self, std::string name) {
            return self.add_player(std::move(name)).index;
          },
          nb::arg("name"))
      .def(
          "add_player",
          [](skill::SkillRating& self, std::string name, const Gaussian& rating, double last_game) {
            return self.add_player(std::move(name), rating, last_game).index;
          },
          nb::arg("name"), nb::arg("rating"), nb::arg("last_game"))
      .def("predict", predict, nb::arg("team_a"), nb::arg("team_b"), nb::arg("time"),
           nb::arg("advantage"))
      .def("update", update, nb::arg("team_a"), nb::arg("team_b"), nb::arg("outcome"),
           nb::arg("time"), nb::arg("advantage"))
      .def(
          "rating",
          [](const skill::SkillRating& self, std::uint32_t player) {
            return self.rating(skill::Player{player});
          },
          nb::arg("player"))
      .def(
          "rating",
          [](const skill::SkillRating& self, std::uint32_t player, double time) {
            return self.rating(skill::Player{player}, time);
          },
          nb::arg("player"), nb::arg("time"))
      .def(
          "last_game",
          [](const skill::SkillRating& self, std::uint32_t player) {
            return self.last_game(skill::Player{player});
          },
          nb::arg("player"))
      .def("leaderboard", leaderboard);
}

}  // namespace postrider::python
