#include "postrider/skill/history.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <string>

#include "factor/scalar.h"
#include "postrider/error.h"
#include "postrider/skill/game_file.h"
#include "skill/learning.h"
#include "skill/prediction.h"
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

void SkillHistory::SmoothOptions::validate() const {
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

SkillHistory::GameId SkillHistory::add(const SkillHistory::Match& match) {
  const std::uint32_t game = state_->games.add(match, options());
  games::Sweeps(*state_).begin(game);
  return {game};
}

bool SkillHistory::has(SkillHistory::GameId game) const {
  return game.index < state_->games.size() && !state_->games.games[game.index].removed;
}

void SkillHistory::remove(SkillHistory::GameId game) {
  if (!has(game)) reject("game", game.index, "must be a game that is there");
  state_->games.remove(game.index);
}

SkillHistory::Match SkillHistory::match(SkillHistory::GameId game) const {
  if (game.index >= state_->games.size()) reject("game", game.index, "must be a game");
  return state_->games.match(game.index);
}

void SkillHistory::filter() { games::Sweeps(*state_).filter(); }

SkillHistory::SmoothReport SkillHistory::smooth(const SkillHistory::SmoothOptions& options) {
  options.validate();
  return games::Sweeps(*state_).smooth(options);
}

SkillHistory::SmoothReport SkillHistory::refresh(const SkillHistory::SmoothOptions& options) {
  options.validate();
  return games::Sweeps(*state_).refresh(options);
}

SkillHistory::LearnReport SkillHistory::learn(const SkillHistory::LearnOptions& options) {
  options.validate();
  SkillOptions found = this->options();
  SkillHistory::LearnReport out = games::learn_settings(state_->games, found, options);
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

double SkillHistory::log_probability(SkillHistory::GameId game) const {
  if (!has(game)) reject("game", game.index, "must be a game that is there");
  return state_->games.games[game.index].log_probability;
}

double SkillHistory::log_evidence() const { return games::Sweeps(*state_).log_evidence(); }
double SkillHistory::leave_one_out() const { return games::Sweeps(*state_).leave_one_out(); }

// --- What a SkillHistory is asked: ratings, curves, predictions, boards.

namespace {

namespace lanes = HWY_NAMESPACE;
using games::Appearance;
using games::Chain;
using games::ChainId;
using games::Expected;
using games::Games;
using games::kNone;
using games::Message;
using games::Moments;

void expect_player(const Games& games, Player player) {
  if (player.index >= games.names.size())
    reject("player", player.index,
           "must be below the number of players, " + std::to_string(games.names.size()));
}

Message belief(const Appearance& one) {
  return lanes::product(lanes::product(one.forward, one.likelihood), one.backward);
}

double last_time(const Games& games, ChainId chain) {
  const std::uint32_t last = games.chains[chain].last;
  return last == kNone ? std::numeric_limits<double>::quiet_NaN()
                       : games.games[games.appearances[last].game].time;
}

// A time before the chain's last game is refused.
Message message_at(const SkillHistory::State& state, ChainId chain, double time) {
  const Games& games = state.games;
  const Chain& one = games.chains[chain];
  if (one.last == kNone)
    return state.rules.prior(chain, games.size() == 0 ? 0 : time - games.start());
  const double last = last_time(games, chain);
  if (time < last && !games::is_ground(chain))
    reject("time", time,
           "must not be before the last game of player " + std::to_string((chain - 1) / 2) +
               ", at " + std::to_string(last));
  return state.rules.drifted(chain, belief(games.appearances[one.last]),
                             std::max(0.0, time - last));
}

Expected expected(const SkillHistory::State& state, const SkillHistory::Team& team, double time) {
  Expected out{{team.handicap, 0}, 0};
  const auto add = [&](ChainId chain, double share) {
    const Moments skill = lanes::moments_of(message_at(state, chain, time));
    const double noise = share * share * state.rules.noise(chain);
    out.performance.mean += share * skill.mean;
    out.performance.variance += share * share * skill.variance + noise;
    out.noise += noise;
  };
  for (const SkillHistory::Participant& one : team.players)
    add(games::skill_of(one.player), one.share);
  if (team.at_home)
    add(team.players.size() == 1 ? games::ground_of(team.players[0].player) : games::kCommonGround,
        1);
  return out;
}

Prediction outcome_of(const Moments& difference, double margin) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto probability = [&](games::Gap gap) {
    return std::exp(games::log_probability(gap, difference));
  };
  return {probability({margin, kInfinity}), margin > 0 ? probability({-margin, margin}) : 0,
          probability({-kInfinity, -margin})};
}

}  // namespace

SkillHistory::Forecast SkillHistory::predict(const SkillHistory::Match& match) const {
  games::expect_match(match, player_count(), false);
  std::vector<Expected> sides;
  for (const SkillHistory::Team& team : match.teams) {
    sides.push_back(expected(*state_, team, match.time));
    // A team of players whose shares are all zero has no performance that could be compared.
    if (!(sides.back().noise > 0)) reject("share", 0, "must be above 0 for a player of each team");
  }
  const Moments &a = sides[0].performance, &b = sides[1].performance;
  const double margin =
      state_->rules.margin(match.teams[0].players.size(), match.teams[1].players.size());
  return {outcome_of({a.mean - b.mean, a.variance + b.variance}, margin),
          games::rank_probabilities(sides), games::match_quality(sides)};
}

Gaussian SkillHistory::rating(Player player) const {
  expect_player(state_->games, player);
  const double last = last_time(state_->games, games::skill_of(player));
  const double time = std::isnan(last) ? state_->games.latest() : last;
  return gaussian_of(message_at(*state_, games::skill_of(player), time));
}

Gaussian SkillHistory::rating(Player player, double time) const {
  expect_player(state_->games, player);
  if (!std::isfinite(time)) reject("time", time, "must be finite");
  return gaussian_of(message_at(*state_, games::skill_of(player), time));
}

double SkillHistory::last_game(Player player) const {
  expect_player(state_->games, player);
  return last_time(state_->games, games::skill_of(player));
}

std::size_t SkillHistory::games_of(Player player) const {
  expect_player(state_->games, player);
  return state_->games.chains[games::skill_of(player)].count;
}

std::vector<SkillHistory::Point> SkillHistory::curve(Player player) const {
  expect_player(state_->games, player);
  const Games& games = state_->games;
  std::vector<SkillHistory::Point> out;
  std::uint32_t at = games.chains[games::skill_of(player)].first;
  for (; at != kNone; at = games.appearances[at].next)
    out.push_back(
        {games.games[games.appearances[at].game].time, gaussian_of(belief(games.appearances[at]))});
  return out;
}

Gaussian SkillHistory::home_advantage(Player player) const {
  expect_player(state_->games, player);
  const ChainId ground = games::ground_of(player);
  const double last = last_time(state_->games, ground);
  return gaussian_of(message_at(*state_, ground, std::isnan(last) ? 0 : last));
}

std::vector<Standing> SkillHistory::leaderboard(double deviations, double active_since) const {
  if (!(std::isfinite(deviations) && deviations >= 0))
    reject("deviations", deviations, "must be finite and at least 0");
  std::vector<Standing> out;
  for (std::uint32_t i = 0; i < player_count(); ++i) {
    const double last = last_game({i});
    if (std::isnan(last) || last < active_since) continue;
    out.push_back({{i}, name({i}), rating({i})});
  }
  const auto surely = [&](const Standing& one) {
    return one.rating.mean() - deviations * one.rating.std();
  };
  std::stable_sort(out.begin(), out.end(),
                   [&](const Standing& a, const Standing& b) { return surely(a) > surely(b); });
  return out;
}

std::vector<SkillHistory::Upset> SkillHistory::upsets(std::size_t most) const {
  const Games& games = state_->games;
  std::vector<std::uint32_t> order;
  for (std::uint32_t game = 0; game < games.size(); ++game)
    if (!games.games[game].removed) order.push_back(game);
  most = std::min(most, order.size());
  const auto is_less_probable = [&](std::uint32_t a, std::uint32_t b) {
    const double of_a = games.games[a].log_probability, of_b = games.games[b].log_probability;
    return of_a != of_b ? of_a < of_b : a < b;
  };
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most), order.end(),
                    is_less_probable);
  std::vector<SkillHistory::Upset> out;
  for (std::size_t i = 0; i < most; ++i)
    out.push_back({{order[i]}, std::exp(games.games[order[i]].log_probability)});
  return out;
}

std::vector<std::vector<Player>> SkillHistory::fair_teams(std::span<const Player> players,
                                                          std::size_t teams, double time) const {
  if (teams < 2) reject("teams", teams, "must be at least 2");
  if (players.size() < teams)
    reject("players", players.size(), "must be at least one for each team");
  std::vector<Expected> each;
  std::set<std::uint32_t> seen;
  for (const Player player : players) {
    expect_player(state_->games, player);
    if (!seen.insert(player.index).second)
      reject("players", name(player), "must be named only once");
    each.push_back(expected(*state_, {.players = {{player}}}, time));
  }
  const std::vector<std::uint32_t> split = games::fair_split(each, teams);
  std::vector<std::vector<Player>> out(teams);
  for (std::size_t i = 0; i < players.size(); ++i) out[split[i]].push_back(players[i]);
  return out;
}

SkillHistory::Match numbered(const GameFile::NamedMatch& named, SkillHistory& history) {
  SkillHistory::Match out = named.match;
  std::set<std::string> seen;
  for (std::size_t k = 0; k < out.teams.size(); ++k) {
    out.teams[k].players.resize(named.names[k].size());
    for (std::size_t i = 0; i < named.names[k].size(); ++i) {
      const std::string& name = named.names[k][i];
      if (!seen.insert(name).second) reject("player", name, "must be in a match only once");
      const std::optional<Player> known = history.find(name);
      out.teams[k].players[i].player = known ? *known : history.add_player(name);
    }
  }
  return out;
}

void add_games(const GameFile& file, const std::string& name, SkillHistory& to) {
  for (const GameFile::NamedMatch& named : file.matches) {
    try {
      to.add(numbered(named, to));
    } catch (const InvalidArgument& error) {
      throw CorruptFile(name + ", line " + std::to_string(named.line) + ": " + error.what());
    }
  }
}

}  // namespace postrider::skill
