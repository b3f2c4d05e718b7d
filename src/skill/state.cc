#include "skill/state.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "postrider/error.h"

namespace postrider::internal::games {
namespace {

constexpr std::uint32_t kMost = 0xfffffff0;

std::string team_field(std::size_t team, std::string_view field) {
  return "teams[" + std::to_string(team) + "]." + std::string(field);
}

void expect_team(const skill::SkillHistory::Team& team, std::size_t place, std::size_t players,
                 bool with_result) {
  if (team.players.empty()) reject(team_field(place, "players"), "", "needs at least one player");
  for (const skill::SkillHistory::Participant& one : team.players) {
    if (one.player.index >= players)
      reject("player", one.player.index,
             "must be below the number of players, " + std::to_string(players));
    if (!(std::isfinite(one.share) && one.share >= 0))
      reject(team_field(place, "share"), one.share, "must be finite and at least 0");
  }
  if (!std::isfinite(team.handicap))
    reject(team_field(place, "handicap"), team.handicap, "must be finite");
  if (!with_result) return;
  if (std::isinf(team.rank))
    reject(team_field(place, "rank"), team.rank, "must be finite, or NaN if it is not known");
  if (!std::isnan(team.score) &&
      !(std::isfinite(team.score) && team.score == std::round(team.score)))
    reject(team_field(place, "score"), team.score,
           "must be a whole number, or NaN if it is not known");
}

void expect_once(const skill::SkillHistory::Match& match) {
  std::vector<std::uint32_t> seen;
  for (const skill::SkillHistory::Team& team : match.teams)
    for (const skill::SkillHistory::Participant& one : team.players)
      seen.push_back(one.player.index);
  std::sort(seen.begin(), seen.end());
  const auto twice = std::adjacent_find(seen.begin(), seen.end());
  if (twice != seen.end()) reject("player", *twice, "must be in the match only once");
}

}  // namespace

void expect_match(const skill::SkillHistory::Match& match, std::size_t players, bool with_result) {
  if (match.teams.size() < 2) reject("teams", match.teams.size(), "must be at least two");
  if (!std::isfinite(match.time)) reject("time", match.time, "must be finite");
  for (std::size_t k = 0; k < match.teams.size(); ++k)
    expect_team(match.teams[k], k, players, with_result);
  expect_once(match);
}

std::vector<double> ranks_of(const skill::SkillHistory::Match& match) {
  std::vector<double> ranks;
  bool is_ranked = false;
  for (const skill::SkillHistory::Team& team : match.teams) {
    ranks.push_back(team.rank);
    is_ranked = is_ranked || !std::isnan(team.rank);
  }
  if (is_ranked) return ranks;
  for (std::size_t k = 0; k < ranks.size(); ++k) ranks[k] = -match.teams[k].score;
  return ranks;
}

Games::Games() : sides(1), games(1), order_() { chains.resize(1); }

skill::Player Games::add_player(std::string name) {
  if (names.size() >= kMost / 2) reject("players", names.size(), "are as many as there can be");
  const auto index = static_cast<std::uint32_t>(names.size());
  if (!name.empty() && !by_name.emplace(name, index).second)
    reject("name", name, "must be new: there is a player of this name");
  names.push_back(std::move(name));
  chains.resize(chains.size() + 2);
  return {index};
}

const std::vector<std::uint32_t>& Games::order() {
  if (is_ordered_) return order_;
  order_.resize(size());
  std::iota(order_.begin(), order_.end(), 0U);
  std::erase_if(order_, [&](std::uint32_t game) { return games[game].removed; });
  std::stable_sort(order_.begin(), order_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return games[a].time < games[b].time; });
  is_ordered_ = true;
  if (!order_.empty()) {
    start_ = games[order_.front()].time;
    latest_ = games[order_.back()].time;
  }
  return order_;
}

std::uint32_t Games::add(const skill::SkillHistory::Match& match,
                         const skill::SkillOptions& options) {
  expect_match(match, names.size(), true);
  const std::vector<double> ranks = ranks_of(match);
  std::vector<std::uint32_t> place(ranks.size());
  std::iota(place.begin(), place.end(), 0U);
  // The best first; those without a rank last.
  std::stable_sort(place.begin(), place.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::isnan(ranks[b]) ? !std::isnan(ranks[a]) : ranks[a] < ranks[b];
  });
  for (std::size_t k = 1; k < place.size(); ++k)
    if (ranks[place[k - 1]] == ranks[place[k]] && options.draw_margin == 0)
      reject("draw_margin", options.draw_margin, "must be above 0 where teams are tied");
  if (size() >= kMost || appearances.size() >= kMost)
    reject("games", size(), "are as many as there can be");

  const auto game = static_cast<std::uint32_t>(size());
  games.back().time = match.time;
  if (size() == removed) {
    start_ = latest_ = match.time;
  } else if (match.time < latest_) {
    is_ordered_ = false;
    start_ = std::min(start_, match.time);
  }
  latest_ = std::max(latest_, match.time);
  if (is_ordered_) order_.push_back(game);
  const auto appear = [&](ChainId chain, double share) {
    Appearance one;
    one.share = share;
    one.chain = chain;
    one.game = game;
    appearances.push_back(one);
    link(static_cast<std::uint32_t>(appearances.size() - 1));
  };
  for (const std::uint32_t at : place) {
    const skill::SkillHistory::Team& team = match.teams[at];
    sides.back() = {
        ranks[at],          team.score, team.handicap,
        sides.back().first, at,         static_cast<std::uint32_t>(team.players.size())};
    for (const skill::SkillHistory::Participant& one : team.players)
      appear(skill_of(one.player), one.share);
    if (team.at_home)
      appear(team.players.size() == 1 ? ground_of(team.players[0].player) : kCommonGround, 1);
    sides.emplace_back();
    sides.back().first = static_cast<std::uint32_t>(appearances.size());
  }
  games.emplace_back();
  games.back().first_side = static_cast<std::uint32_t>(sides.size() - 1);
  return game;
}

// Behind all appearances that are not later: games of one moment stand in the order in which they came.
void Games::link(std::uint32_t appearance) {
  Appearance& one = appearances[appearance];
  Chain& chain = chains[one.chain];
  const double time = games[one.game].time;
  std::uint32_t before = chain.last;
  while (before != kNone && games[appearances[before].game].time > time)
    before = appearances[before].previous;
  one.previous = before;
  one.next = before == kNone ? chain.first : appearances[before].next;
  (before == kNone ? chain.first : appearances[before].next) = appearance;
  (one.next == kNone ? chain.last : appearances[one.next].previous) = appearance;
  ++chain.count;
}

void Games::unlink(std::uint32_t appearance) {
  Appearance& one = appearances[appearance];
  Chain& chain = chains[one.chain];
  (one.previous == kNone ? chain.first : appearances[one.previous].next) = one.next;
  (one.next == kNone ? chain.last : appearances[one.next].previous) = one.previous;
  for (const std::uint32_t other : {one.previous, one.next})
    if (other != kNone) mark(appearances[other].game);
  one.previous = one.next = kNone;
  --chain.count;
}

void Games::mark(std::uint32_t game) {
  if (games[game].pending) return;
  games[game].pending = true;
  pending.push_back(game);
}

void Games::clear_pending() {
  for (const std::uint32_t game : pending) games[game].pending = false;
  pending.clear();
}

void Games::remove(std::uint32_t game) {
  for (std::uint32_t i = first_appearance(game); i < end_appearance(game); ++i) unlink(i);
  games[game].removed = true;
  ++removed;
  is_ordered_ = false;
}

skill::SkillHistory::Match Games::match(std::uint32_t game) const {
  skill::SkillHistory::Match out;
  out.time = games[game].time;
  const std::span<const SideRecord> all = sides_of(game);
  out.teams.resize(all.size());
  for (const SideRecord& side : all) {
    skill::SkillHistory::Team& team = out.teams[side.given];
    team.rank = side.rank;
    team.score = side.score;
    team.handicap = side.handicap;
    const std::uint32_t end = (&side + 1)->first;
    for (std::uint32_t i = side.first; i < end; ++i) {
      const Appearance& one = appearances[i];
      if (is_ground(one.chain))
        team.at_home = true;
      else
        team.players.push_back({{(one.chain - 1) / 2}, one.share});
    }
  }
  return out;
}

}  // namespace postrider::internal::games
