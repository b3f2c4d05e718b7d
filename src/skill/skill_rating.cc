#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "factor/scalar.h"
#include "postrider/error.h"
#include "postrider/skill/rating.h"
#include "skill/contest.h"

namespace postrider::skill {
using namespace internal;
namespace {

using games::blurred;
using games::Gap;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double square(double x) { return x * x; }

Gap bounds_of(SkillRating::Outcome outcome, double margin) {
  if (outcome == SkillRating::Outcome::draw) return {-margin, margin};
  return outcome == SkillRating::Outcome::win ? Gap{margin, kInfinity} : Gap{-kInfinity, -margin};
}

// Two teams in a game, with what is known of their players.
struct Game {
  games::ContestScratch scratch;

  Game(std::size_t count_a, std::size_t count_b, double advantage) {
    scratch.sides = {{0, count_a, advantage, {}}, {count_a, count_b, 0, {}}};
  }
  void add(const Gaussian& skill, double noise) {
    scratch.entrants.push_back({natural(skill), 1, noise});
  }
  void perform() { games::perform(scratch.entrants, scratch.sides); }
  games::Moments difference() const {
    const games::Moments &a = scratch.sides[0].performance, &b = scratch.sides[1].performance;
    return {a.mean - b.mean, a.variance + b.variance};
  }
  void judge(const Gap& gap) { games::judge(scratch.entrants, scratch.sides, {&gap, 1}, scratch); }
};

void expect_finite(std::string_view field, double value) {
  if (!std::isfinite(value)) reject(field, value, "must be finite");
}

}  // namespace

SkillRating::SkillRating(const SkillOptions& options) : options_(options) { options_.validate(); }

Player SkillRating::add_player(std::string name) {
  return add_player(std::move(name), Gaussian::from_moments(options_.mean, square(options_.std)));
}

Player SkillRating::add_player(std::string name, const Gaussian& rating, double last_game) {
  if (!rating.is_proper()) reject("rating", to_string(rating), "must be proper");
  if (std::isinf(last_game)) reject("last_game", last_game, "must be finite, or NaN for none");
  players_.push_back({rating, last_game});
  names_.push_back(std::move(name));
  return {static_cast<std::uint32_t>(players_.size() - 1)};
}

const SkillRating::State& SkillRating::state(Player player) const {
  if (player.index >= players_.size())
    reject("player", player.index,
           "must be below the number of players, " + std::to_string(players_.size()));
  return players_[player.index];
}

void SkillRating::check_time(Player player, double time) const {
  expect_finite("time", time);
  const double last = state(player).last_game;
  if (time < last)
    reject("time", time,
           "must not be before the last game of player " + std::to_string(player.index) + ", at " +
               std::to_string(last));
}

void SkillRating::check(std::span<const Player> team_a, std::span<const Player> team_b, double time,
                        double advantage) const {
  if (team_a.empty()) reject("team_a", "", "needs at least one player");
  if (team_b.empty()) reject("team_b", "", "needs at least one player");
  expect_finite("advantage", advantage);
  const std::size_t count = team_a.size() + team_b.size();
  const auto at = [&](std::size_t i) {
    return i < team_a.size() ? team_a[i] : team_b[i - team_a.size()];
  };
  for (std::size_t i = 0; i < count; ++i) {
    check_time(at(i), time);
    for (std::size_t j = 0; j < i; ++j)
      if (at(i) == at(j)) reject("player", at(i).index, "must be in the game only once");
  }
}

Gaussian SkillRating::skill_at(Player player, double time) const {
  const State& now = players_[player.index];
  const double elapsed = std::isnan(now.last_game) ? 0 : time - now.last_game;
  if (elapsed == 0 || options_.dynamics_std == 0) return now.skill;
  return gaussian_of(blurred(natural(now.skill), square(options_.dynamics_std) * elapsed));
}

Prediction SkillRating::predict(std::span<const Player> team_a, std::span<const Player> team_b,
                                double time, double advantage) const {
  check(team_a, team_b, time, advantage);
  Game game(team_a.size(), team_b.size(), advantage);
  for (const auto& team : {team_a, team_b})
    for (const Player player : team)
      game.add(skill_at(player, time), square(options_.performance_std));
  game.perform();
  const auto probability = [&](SkillRating::Outcome outcome) {
    return std::exp(
        games::log_probability(bounds_of(outcome, options_.draw_margin), game.difference()));
  };
  const double draw = options_.draw_margin == 0 ? 0 : probability(SkillRating::Outcome::draw);
  return {probability(SkillRating::Outcome::win), draw, probability(SkillRating::Outcome::loss)};
}

void SkillRating::update(std::span<const Player> team_a, std::span<const Player> team_b,
                         SkillRating::Outcome outcome, double time, double advantage) {
  check(team_a, team_b, time, advantage);
  if (outcome == SkillRating::Outcome::draw && options_.draw_margin == 0)
    reject("draw_margin", options_.draw_margin, "must be above 0 for a game that ends in a draw");
  Game game(team_a.size(), team_b.size(), advantage);
  for (const auto& team : {team_a, team_b})
    for (const Player player : team) {
      State& now = players_[player.index];
      now.skill = skill_at(player, time);
      now.last_game = time;
      game.add(now.skill, square(options_.performance_std));
    }
  game.perform();
  game.judge(bounds_of(outcome, options_.draw_margin));
  std::size_t next = 0;
  for (const auto& team : {team_a, team_b})
    for (const Player player : team)
      players_[player.index].skill *= gaussian_of(game.scratch.entrants[next++].likelihood);
}

Gaussian SkillRating::rating(Player player) const { return state(player).skill; }

Gaussian SkillRating::rating(Player player, double time) const {
  check_time(player, time);
  return skill_at(player, time);
}

double SkillRating::last_game(Player player) const { return state(player).last_game; }

const std::string& SkillRating::name(Player player) const {
  state(player);
  return names_[player.index];
}

std::vector<Standing> SkillRating::leaderboard() const {
  std::vector<Standing> out;
  out.reserve(players_.size());
  for (std::uint32_t i = 0; i < players_.size(); ++i)
    out.push_back({{i}, names_[i], players_[i].skill});
  const auto surely = [](const Standing& standing) {
    return standing.rating.mean() - 3 * standing.rating.std();
  };
  // Stable: players of equal standing stay in the order in which they came.
  std::stable_sort(out.begin(), out.end(),
                   [&](const Standing& a, const Standing& b) { return surely(a) > surely(b); });
  return out;
}

}  // namespace postrider::skill
