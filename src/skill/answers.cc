// What a SkillHistory is asked: ratings, curves, predictions, boards.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "factor/scalar.h"
#include "postrider/error.h"
#include "skill/prediction.h"
#include "skill/state.h"

namespace postrider::skill {
using namespace internal;
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

Expected expected(const SkillHistory::State& state, const MatchTeam& team, double time) {
  Expected out{{team.handicap, 0}, 0};
  const auto add = [&](ChainId chain, double share) {
    const Moments skill = lanes::moments_of(message_at(state, chain, time));
    const double noise = share * share * state.rules.noise(chain);
    out.performance.mean += share * skill.mean;
    out.performance.variance += share * share * skill.variance + noise;
    out.noise += noise;
  };
  for (const Participant& one : team.players) add(games::skill_of(one.player), one.share);
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

MatchPrediction SkillHistory::predict(const Match& match) const {
  games::expect_match(match, player_count(), false);
  std::vector<Expected> sides;
  for (const MatchTeam& team : match.teams) {
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

std::vector<SkillPoint> SkillHistory::curve(Player player) const {
  expect_player(state_->games, player);
  const Games& games = state_->games;
  std::vector<SkillPoint> out;
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

std::vector<Upset> SkillHistory::upsets(std::size_t most) const {
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
  std::vector<Upset> out;
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

}  // namespace postrider::skill
