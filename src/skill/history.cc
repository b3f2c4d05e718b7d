#include "postrider/skill/history.h"

#include <cmath>

#include "postrider/error.h"
#include "skill/learning.h"
#include "skill/smoothing.h"
#include "skill/state.h"

namespace postrider::skill {
using namespace internal;
namespace {

void expect_player(Player player, std::size_t count) {
  if (player.index >= count)
    reject("player", player.index, "must be below the number of players, " + std::to_string(count));
}

}  // namespace

void SmoothOptions::validate() const {
  if (!(tolerance > 0)) reject("tolerance", tolerance, "must be above 0");
  if (max_sweeps == 0) reject("max_sweeps", max_sweeps, "must be at least 1");
}

SkillHistory::SkillHistory(const SkillOptions& options) {
  options.validate();
  state_ = std::make_unique<State>(State{{}, games::Rules(options), {}});
}
SkillHistory::~SkillHistory() = default;
SkillHistory::SkillHistory(SkillHistory&&) noexcept = default;
SkillHistory& SkillHistory::operator=(SkillHistory&&) noexcept = default;
SkillHistory::SkillHistory(const SkillHistory& other)
    : state_(std::make_unique<State>(*other.state_)) {}
SkillHistory& SkillHistory::operator=(const SkillHistory& other) {
  if (this != &other) state_ = std::make_unique<State>(*other.state_);
  return *this;
}

Player SkillHistory::add_player(std::string name) {
  return state_->games.add_player(std::move(name));
}

std::optional<Player> SkillHistory::find(std::string_view name) const {
  const auto at = state_->games.by_name.find(name);
  if (at == state_->games.by_name.end()) return std::nullopt;
  return Player{at->second};
}

const std::string& SkillHistory::name(Player player) const {
  expect_player(player, player_count());
  return state_->games.names[player.index];
}

std::size_t SkillHistory::player_count() const { return state_->games.names.size(); }
std::size_t SkillHistory::game_count() const {
  return state_->games.size() - state_->games.removed;
}
std::size_t SkillHistory::games_ever() const { return state_->games.size(); }

void SkillHistory::reserve(std::size_t players, std::size_t games, std::size_t players_per_game) {
  state_->games.names.reserve(players);
  state_->games.chains.reserve(2 * players + 1);
  state_->games.appearances.reserve(games * players_per_game);
  state_->games.games.reserve(games + 1);
}

GameId SkillHistory::add(const Match& match) {
  const std::uint32_t game = state_->games.add(match, options());
  games::Sweeps(*state_).begin(game);
  return {game};
}

bool SkillHistory::has(GameId game) const {
  return game.index < state_->games.size() && !state_->games.games[game.index].removed;
}

void SkillHistory::remove(GameId game) {
  if (!has(game)) reject("game", game.index, "must be a game that is there");
  state_->games.remove(game.index);
}

Match SkillHistory::match(GameId game) const {
  if (game.index >= state_->games.size()) reject("game", game.index, "must be a game");
  return state_->games.match(game.index);
}

void SkillHistory::filter() { games::Sweeps(*state_).filter(); }

SmoothReport SkillHistory::smooth(const SmoothOptions& options) {
  options.validate();
  return games::Sweeps(*state_).smooth(options);
}

SmoothReport SkillHistory::refresh(const SmoothOptions& options) {
  options.validate();
  return games::Sweeps(*state_).refresh(options);
}

LearnReport SkillHistory::learn(const LearnOptions& options) {
  options.validate();
  SkillOptions found = this->options();
  LearnReport out = games::learn_settings(state_->games, found, options);
  set_options(found);
  return out;
}

const SkillOptions& SkillHistory::options() const { return state_->rules.options(); }

void SkillHistory::set_options(const SkillOptions& options) {
  options.validate();
  const games::Games& games = state_->games;
  for (std::size_t k = 0; options.draw_margin == 0 && k + 1 < games.sides.size(); ++k)
    if (games.sides[k + 1].given != 0 && games.sides[k].rank == games.sides[k + 1].rank)
      reject("draw_margin", options.draw_margin, "must be above 0 where teams are tied");
  state_->rules = games::Rules(options);
  filter();
}

double SkillHistory::log_probability(GameId game) const {
  if (!has(game)) reject("game", game.index, "must be a game that is there");
  return state_->games.games[game.index].log_probability;
}

double SkillHistory::log_evidence() const { return games::Sweeps(*state_).log_evidence(); }
double SkillHistory::leave_one_out() const { return games::Sweeps(*state_).leave_one_out(); }

}  // namespace postrider::skill
