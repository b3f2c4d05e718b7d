#include "postrider/skill/history.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.h"
#include "postrider/error.h"
#include "skill/matches.h"

namespace postrider::skill {
using namespace internal;
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
// For means in standard deviations and for variances in relation.
constexpr double kRounding = 1e-9;
// Two ways to the same fixed point, each until nothing moves by more than 1e-10.
constexpr double kFixedPoint = 1e-7;
constexpr SkillHistory::SmoothOptions kThorough{1e-10, 5000};

void expect_same(const Gaussian& found, const Gaussian& expected, double tolerance) {
  EXPECT_NEAR(found.mean(), expected.mean(), tolerance * expected.std());
  EXPECT_NEAR(found.variance(), expected.variance(), tolerance * expected.variance());
}

// --- filtering ------------------------------------------------------------------------------------

TEST(SkillHistory, FiltersAsSkillRatingDoes) {
  const SkillOptions options{.dynamics_std = 0.3, .draw_margin = 1};
  SkillHistory history(options);
  SkillRating rating(options);
  for (int i = 0; i < 4; ++i) {
    history.add_player();
    rating.add_player();
  }
  RandomStream random(5, 0);
  double sum = 0;
  for (int game = 0; game < 60; ++game) {
    const Player a{static_cast<std::uint32_t>(game % 4)},
        b{static_cast<std::uint32_t>((game + 1 + game / 4 % 3) % 4)};
    const int kind = game % 3;
    const double time = game * 0.5;
    const SkillRating::Outcome outcome = kind == 0   ? SkillRating::Outcome::win
                                         : kind == 1 ? SkillRating::Outcome::draw
                                                     : SkillRating::Outcome::loss;
    const Prediction before = rating.predict({&a, 1}, {&b, 1}, time, 0.7);
    SkillHistory::Match match = duel(a, b, kind == 2 ? 2 : 1, kind == 0 ? 2 : 1, time);
    match.teams[0].handicap = 0.7;
    const Prediction found = history.predict(match).outcome;
    EXPECT_NEAR(found.win, before.win, kRounding);
    EXPECT_NEAR(found.draw, before.draw, kRounding);
    EXPECT_NEAR(found.loss, before.loss, kRounding);
    const SkillHistory::GameId id = history.add(match);
    rating.update({&a, 1}, {&b, 1}, outcome, time, 0.7);
    const double happened = kind == 0 ? before.win : kind == 1 ? before.draw : before.loss;
    EXPECT_NEAR(history.log_probability(id), std::log(happened), kRounding);
    sum += std::log(happened);
  }
  for (std::uint32_t i = 0; i < 4; ++i)
    expect_same(history.rating({i}), rating.rating({i}), kRounding);
  EXPECT_NEAR(history.log_evidence(), sum, kRounding * std::abs(sum));
  const Gaussian before = history.rating({0});
  history.filter();
  expect_same(history.rating({0}), before, kRounding);
}

// --- adding and removing --------------------------------------------------------------------------

// Games of all kinds among a few players, `skipped` of them left out.
struct League {
  SkillOptions options{.dynamics_std = 0.5,
                       .draw_margin = 1,
                       .home_advantage = 1,
                       .home_std = 1,
                       .home_dynamics_std = 0.1,
                       .score_unit = 2,
                       .score_power = 0.8};
  std::vector<SkillHistory::Match> matches;

  League() {
    RandomStream random(8, 0);
    for (int game = 0; game < 40; ++game) {
      const auto one = [&](int k) {
        return Player{static_cast<std::uint32_t>((game * 7 + k * (1 + game % 2)) % 9)};
      };
      SkillHistory::Match match = duel(one(0), one(1), kNan, kNan, game / 2);
      if (game % 5 == 4)
        match = {{team({one(0), one(1)}, 2), team({one(2), one(3)}, 1), team({one(4)}, 2)},
                 match.time};
      if (game % 5 < 3) {
        match.teams[0].score = std::floor(random.uniform(0, 5));
        match.teams[1].score = std::floor(random.uniform(0, 5));
        match.teams[0].at_home = game % 2 == 0;
      } else if (game % 5 == 3) {
        match.teams[0].rank = 1;
        match.teams[1].rank = 1 + game % 2;
      }
      matches.push_back(match);
    }
  }
  SkillHistory empty() const {
    SkillHistory out(options);
    for (int i = 0; i < 9; ++i) out.add_player();
    return out;
  }
};

void expect_same_curves(const SkillHistory& found, const SkillHistory& expected) {
  for (std::uint32_t player = 0; player < expected.player_count(); ++player) {
    const std::vector<SkillHistory::Point> a = found.curve({player}), b = expected.curve({player});
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < b.size(); ++i) {
      EXPECT_EQ(a[i].time, b[i].time);
      expect_same(a[i].skill, b[i].skill, kFixedPoint);
    }
  }
}

TEST(SkillHistory, ARemovedGameIsAsIfNeverSeen) {
  const League league;
  for (const std::uint32_t out : {0U, 14U, 23U, 39U}) {
    SkillHistory all = league.empty(), without = league.empty();
    for (std::uint32_t i = 0; i < league.matches.size(); ++i) {
      all.add(league.matches[i]);
      if (i != out) without.add(league.matches[i]);
    }
    all.smooth(kThorough);
    all.remove({out});
    EXPECT_FALSE(all.has({out}));
    EXPECT_EQ(all.game_count(), 39U);
    EXPECT_TRUE(all.refresh(kThorough).converged);
    EXPECT_TRUE(without.smooth(kThorough).converged);
    expect_same_curves(all, without);
    EXPECT_NEAR(all.log_evidence(), without.log_evidence(), kFixedPoint);
  }
}

TEST(SkillHistory, AGameCanComeLate) {
  const League league;
  SkillHistory all = league.empty(), late = league.empty();
  for (std::uint32_t i = 0; i < league.matches.size(); ++i) all.add(league.matches[i]);
  for (std::uint32_t i = 0; i < league.matches.size(); ++i)
    if (i != 11) late.add(league.matches[i]);
  all.smooth(kThorough);
  late.smooth(kThorough);
  // Games 10 and 11 are of one moment and share players: their order makes no difference to the fixed point.
  late.add(league.matches[11]);
  EXPECT_TRUE(late.refresh(kThorough).converged);
  EXPECT_NEAR(late.log_evidence(), all.log_evidence(), kFixedPoint);
  for (std::uint32_t player = 0; player < 9; ++player)
    expect_same(late.rating({player}), all.rating({player}), kFixedPoint);
}

TEST(SkillHistory, RefreshingTouchesWhatMovesOnly) {
  // Each player meets the next one in the row: what a game says fades along it.
  constexpr std::uint32_t kPlayers = 1000;
  SkillHistory history;
  for (std::uint32_t i = 0; i < kPlayers; ++i) history.add_player();
  for (std::uint32_t i = 0; i + 1 < kPlayers; ++i) history.add(duel({i}, {i + 1}, 1, 2, i));
  history.smooth(kThorough);
  const Gaussian far = history.rating({500});
  history.add(duel({1}, {0}, 1, 2, kPlayers));
  const SkillHistory::SmoothReport report = history.refresh({1e-3, 100});
  EXPECT_TRUE(report.converged);
  EXPECT_GT(report.games, 2U);
  EXPECT_LT(report.games, 60U);
  EXPECT_EQ(history.rating({500}), far);
  EXPECT_EQ(history.refresh().games, 0U);
}

TEST(SkillHistory, TheOrderOfAddingMakesNoDifference) {
  const League league;
  SkillHistory forward = league.empty(), backward = league.empty();
  for (const SkillHistory::Match& match : league.matches) forward.add(match);
  for (std::size_t i = league.matches.size(); i-- > 0;) backward.add(league.matches[i]);
  forward.smooth(kThorough);
  backward.smooth(kThorough);
  for (std::uint32_t player = 0; player < 9; ++player)
    expect_same(backward.rating({player}), forward.rating({player}), kFixedPoint);
  EXPECT_NEAR(backward.log_evidence(), forward.log_evidence(), kFixedPoint);
}

TEST(SkillHistory, GivesMatchesBack) {
  const League league;
  SkillHistory history = league.empty();
  for (std::uint32_t i = 0; i < league.matches.size(); ++i) {
    const SkillHistory::GameId id = history.add(league.matches[i]);
    const SkillHistory::Match found = history.match(id);
    const SkillHistory::Match& given = league.matches[i];
    EXPECT_EQ(found.time, given.time);
    ASSERT_EQ(found.teams.size(), given.teams.size());
    for (std::size_t k = 0; k < given.teams.size(); ++k) {
      EXPECT_EQ(found.teams[k].at_home, given.teams[k].at_home);
      ASSERT_EQ(found.teams[k].players.size(), given.teams[k].players.size());
      for (std::size_t p = 0; p < given.teams[k].players.size(); ++p)
        EXPECT_EQ(found.teams[k].players[p].player, given.teams[k].players[p].player);
      if (!std::isnan(given.teams[k].score)) {
        EXPECT_EQ(found.teams[k].score, given.teams[k].score);
      }
    }
  }
}

// --- answers --------------------------------------------------------------------------------------

TEST(SkillHistory, NewcomersFollowTheTrend) {
  SkillHistory history({.newcomer_trend = 0.5});
  for (int i = 0; i < 3; ++i) history.add_player();
  history.add(duel({0}, {1}, 1, 2, 10));
  history.add(duel({0}, {1}, 1, 2, 18));
  EXPECT_NEAR(history.rating({2}).mean(), 25 - 0.5 * 8, kRounding);
  EXPECT_NEAR(history.rating({2}, 20).mean(), 25 - 0.5 * 10, kRounding);
}

TEST(SkillHistory, ListsBoardsAndUpsets) {
  SkillHistory history({.draw_margin = 0.1});
  const Player a = history.add_player("a"), b = history.add_player("b"),
               c = history.add_player("c");
  for (int i = 0; i < 5; ++i) history.add(duel(a, b, 1, 2, i));
  const SkillHistory::GameId upset = history.add(duel(b, a, 1, 2, 6));
  const std::vector<Standing> board = history.leaderboard();
  ASSERT_EQ(board.size(), 2U);  // c has not played
  EXPECT_EQ(board[0].name, "a");
  EXPECT_EQ(history.leaderboard(3, 7).size(), 0U);
  const std::vector<SkillHistory::Upset> upsets = history.upsets(2);
  ASSERT_EQ(upsets.size(), 2U);
  EXPECT_EQ(upsets[0].game, upset);
  EXPECT_LT(upsets[0].probability, 0.5);
  EXPECT_EQ(history.games_of(a), 6U);
  EXPECT_EQ(history.games_of(c), 0U);
  EXPECT_EQ(history.last_game(b), 6);
  EXPECT_TRUE(std::isnan(history.last_game(c)));
  EXPECT_EQ(history.find("c"), c);
  EXPECT_FALSE(history.find("d").has_value());
}

TEST(SkillHistory, TheGroundOfATeamIsLearned) {
  SkillHistory history({.draw_margin = 0.1, .home_advantage = 1, .home_std = 2});
  for (int i = 0; i < 2; ++i) history.add_player();
  for (int game = 0; game < 12; ++game) {
    // The first player wins at home and loses elsewhere.
    SkillHistory::Match match = duel({0}, {1}, game % 2 == 0 ? 1 : 2, game % 2 == 0 ? 2 : 1, game);
    match.teams[0].at_home = game % 2 == 0;
    history.add(match);
  }
  history.smooth();
  EXPECT_GT(history.home_advantage({0}).mean(), 1.5);
  EXPECT_EQ(history.home_advantage({1}).mean(), 1);
}

TEST(SkillHistory, TheMarginMayGrowWithTheTeams) {
  SkillHistory fixed({.draw_margin = 2}), growing({.draw_margin = 2, .margin_grows = true});
  for (SkillHistory* history : {&fixed, &growing})
    for (int i = 0; i < 8; ++i) history->add_player();
  const SkillHistory::Match large{
      {team({{0}, {1}, {2}, {3}}, kNan), team({{4}, {5}, {6}, {7}}, kNan)}, 0};
  EXPECT_EQ(fixed.predict(duel({0}, {1}, 1, 2, 0)).outcome.draw,
            growing.predict(duel({0}, {1}, 1, 2, 0)).outcome.draw);
  // Variances and the margin's square both grow fourfold.
  EXPECT_NEAR(growing.predict(large).outcome.draw,
              growing.predict(duel({0}, {1}, 1, 2, 0)).outcome.draw, kRounding);
  EXPECT_LT(fixed.predict(large).outcome.draw, growing.predict(large).outcome.draw);
}

template <class Do>
std::string complaint(Do&& what) {
  try {
    what();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(SkillHistory, RefusesWhatMakesNoSense) {
  SkillHistory history({.draw_margin = 0});
  for (int i = 0; i < 3; ++i) history.add_player();
  EXPECT_NE(complaint([&] {
              history.add({{team({{0}}, 1)}, 0});
            }).find("teams = 1"),
            std::string::npos);
  EXPECT_NE(complaint([&] { history.add(duel({0}, {0}, 1, 2, 0)); }).find("only once"),
            std::string::npos);
  EXPECT_NE(complaint([&] { history.add(duel({0}, {7}, 1, 2, 0)); }).find("player = 7"),
            std::string::npos);
  EXPECT_NE(complaint([&] { history.add(duel({0}, {1}, 1, 1, 0)); }).find("draw_margin"),
            std::string::npos);
  EXPECT_NE(complaint([&] { history.add(duel({0}, {1}, 1, 2, kNan)); }).find("time"),
            std::string::npos);
  SkillHistory::Match wrong = duel({0}, {1}, kNan, kNan, 0);
  wrong.teams[0].score = 1.5;
  EXPECT_NE(complaint([&] { history.add(wrong); }).find("whole number"), std::string::npos);
  EXPECT_EQ(history.game_count(), 0U);
  history.add(duel({0}, {1}, 1, 2, 5));
  EXPECT_NE(complaint([&] { history.predict(duel({0}, {2}, 1, 2, 4)); }).find("last game"),
            std::string::npos);
  EXPECT_NE(complaint([&] { history.remove({3}); }).find("game = 3"), std::string::npos);
  EXPECT_NE(complaint([&] { SkillHistory({.score_power = 0}); }).find("score_power"),
            std::string::npos);
}

}  // namespace
}  // namespace postrider::skill
