#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "postrider/error.h"
#include "postrider/skill/history.h"
#include "postrider/skill/rating.h"
#include "skill/matches.h"

namespace postrider::skill {
namespace {

using Real = long double;

// Rounding over some ten messages.
constexpr double kExact = 1e-12;
// What a draw loses as the difference of two half lines; worst where the margin is narrow.
constexpr double kDraw = 1e-9;

// What a game against a player of variance 1e12 may take off a variance of some 1e2: 1e4/1e12.
constexpr double kAlmostNothing = 1e-7;

// TrueSkill's functions, from the paper and std::erfc alone.
Real density(Real x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::acos(Real(-1))); }
Real below(Real x) { return std::erfc(-x / std::sqrt(Real(2))) / 2; }
Real v_win(Real t, Real e) { return density(t - e) / below(t - e); }
Real w_win(Real t, Real e) { return v_win(t, e) * (v_win(t, e) + t - e); }
Real v_draw(Real t, Real e) {
  return (density(-e - t) - density(e - t)) / (below(e - t) - below(-e - t));
}
Real w_draw(Real t, Real e) {
  const Real v = v_draw(t, e);
  return v * v +
         ((e - t) * density(e - t) + (e + t) * density(e + t)) / (below(e - t) - below(-e - t));
}

struct Expected {
  Real mean, variance;
};

// The skill N(mean, variance) in a game whose difference has deviation c and standardised mean t.
// `sign` is +1 in the winning team (or the first, for a draw).
Expected after(const Gaussian& skill, int sign, Real c, Real v, Real w) {
  const Real variance = skill.variance();
  return {skill.mean() + sign * variance / c * v, variance * (1 - variance / (c * c) * w)};
}

void expect_near(const Gaussian& found, const Expected& expected, double tolerance) {
  const double variance = static_cast<double>(expected.variance);
  EXPECT_NEAR(found.mean(), static_cast<double>(expected.mean),
              tolerance * std::max(std::abs(found.mean()), std::sqrt(variance)));
  EXPECT_NEAR(found.variance(), variance, tolerance * variance);
}

struct Pair {
  SkillRating ratings;
  Gaussian skill_a, skill_b;
  Player a, b;
  Real c, t, e;

  Pair(double gap, double margin)
      : ratings({.draw_margin = margin}),
        skill_a(Gaussian::from_moments(25 + gap, 30)),
        skill_b(Gaussian::from_moments(25, 50)),
        a(ratings.add_player("a", skill_a)),
        b(ratings.add_player("b", skill_b)) {
    const Real beta = ratings.options().performance_std;
    c = std::sqrt(skill_a.variance() + skill_b.variance() + 2 * beta * beta);
    t = (skill_a.mean() - skill_b.mean()) / c;
    e = margin / c;
  }
  void play(SkillRating::Outcome outcome) { ratings.update({&a, 1}, {&b, 1}, outcome, 0); }
  Prediction predict() const { return ratings.predict({&a, 1}, {&b, 1}, 0); }
};

const double kGaps[] = {-30, -8, -1, 0, 0.5, 4, 30};
// From far narrower than the deviation of the difference, about 11, to wider.
const double kMargins[] = {1e-5, 3e-3, 2e-2, 0.1, 0.74, 3, 20, 60};

TEST(SkillRating, WinAndLossAreTheClosedForm) {
  for (const double gap : kGaps)
    for (const double margin : kMargins) {
      SCOPED_TRACE(testing::Message() << gap << " " << margin);
      Pair win(gap, margin);
      win.play(SkillRating::Outcome::win);
      const Real v = v_win(win.t, win.e), w = w_win(win.t, win.e);
      expect_near(win.ratings.rating(win.a), after(win.skill_a, 1, win.c, v, w), kExact);
      expect_near(win.ratings.rating(win.b), after(win.skill_b, -1, win.c, v, w), kExact);

      Pair loss(gap, margin);
      loss.play(SkillRating::Outcome::loss);
      const Real lost_v = v_win(-loss.t, loss.e), lost_w = w_win(-loss.t, loss.e);
      expect_near(loss.ratings.rating(loss.a), after(loss.skill_a, -1, loss.c, lost_v, lost_w),
                  kExact);
      expect_near(loss.ratings.rating(loss.b), after(loss.skill_b, 1, loss.c, lost_v, lost_w),
                  kExact);
    }
}

TEST(SkillRating, DrawIsTheClosedForm) {
  for (const double gap : kGaps)
    for (const double margin : kMargins) {
      SCOPED_TRACE(testing::Message() << gap << " " << margin);
      Pair draw(gap, margin);
      draw.play(SkillRating::Outcome::draw);
      const Real v = v_draw(draw.t, draw.e), w = w_draw(draw.t, draw.e);
      expect_near(draw.ratings.rating(draw.a), after(draw.skill_a, 1, draw.c, v, w), kDraw);
      expect_near(draw.ratings.rating(draw.b), after(draw.skill_b, -1, draw.c, v, w), kDraw);
      EXPECT_LE(draw.ratings.rating(draw.a).variance(), draw.skill_a.variance());
    }
}

TEST(SkillRating, DrawIsSymmetric) {
  SkillRating ratings;
  const Player a = ratings.add_player("a"), b = ratings.add_player("b");
  ratings.update({&a, 1}, {&b, 1}, SkillRating::Outcome::draw, 0);
  EXPECT_NEAR(ratings.rating(a).mean(), 25, 25 * kExact);
  EXPECT_NEAR(ratings.rating(b).mean(), 25, 25 * kExact);
  EXPECT_NEAR(ratings.rating(a).variance(), ratings.rating(b).variance(), 100 * kExact);
  EXPECT_LT(ratings.rating(a).variance(), 625.0 / 9);

  // The stronger falls, the weaker rises.
  Pair unequal(6, 1);
  unequal.play(SkillRating::Outcome::draw);
  EXPECT_LT(unequal.ratings.rating(unequal.a).mean(), 31);
  EXPECT_GT(unequal.ratings.rating(unequal.b).mean(), 25);
}

TEST(SkillRating, TeamsAddUp) {
  SkillRating ratings({.draw_margin = 1});
  const Gaussian skills[] = {Gaussian::from_moments(20, 9), Gaussian::from_moments(27, 40),
                             Gaussian::from_moments(44, 16)};
  Player players[3];
  for (int i = 0; i < 3; ++i) players[i] = ratings.add_player("", skills[i]);
  const std::span<const Player> all(players);
  const double advantage = 1.5;
  const Real beta = ratings.options().performance_std;
  const Real c = std::sqrt(9 + 40 + 16 + 3 * beta * beta);
  const Real t = (20 + 27 - 44 + advantage) / c, e = 1 / c;
  EXPECT_NEAR(ratings.predict(all.first(2), all.last(1), 0, advantage).win,
              static_cast<double>(below(t - e)), kExact);
  ratings.update(all.first(2), all.last(1), SkillRating::Outcome::win, 0, advantage);
  for (int i = 0; i < 3; ++i)
    expect_near(ratings.rating(players[i]),
                after(skills[i], i < 2 ? 1 : -1, c, v_win(t, e), w_win(t, e)), kExact);
}

TEST(SkillRating, ProbabilitiesAreTheClosedForm) {
  for (const double gap : kGaps)
    for (const double margin : kMargins) {
      SCOPED_TRACE(testing::Message() << gap << " " << margin);
      const Pair pair(gap, margin);
      const Prediction found = pair.predict();
      EXPECT_NEAR(found.win + found.draw + found.loss, 1, kExact);
      EXPECT_NEAR(found.win, static_cast<double>(below(pair.t - pair.e)), kExact);
      EXPECT_NEAR(found.loss, static_cast<double>(below(-pair.t - pair.e)), kExact);
      EXPECT_NEAR(found.draw, static_cast<double>(below(pair.e - pair.t) - below(-pair.e - pair.t)),
                  kExact);
    }
  // Far in the tail a draw is unlikely, not impossible.
  const Pair far(400, 0.74);
  EXPECT_GT(far.predict().draw, 0);
  EXPECT_GT(far.predict().loss, 0);
}

TEST(SkillRating, WithoutAMarginThereAreNoDraws) {
  Pair pair(2, 0);
  EXPECT_EQ(pair.predict().draw, 0);
  EXPECT_THROW(pair.play(SkillRating::Outcome::draw), InvalidArgument);
}

TEST(SkillRating, SkillsWidenWithTime) {
  const SkillOptions options{.dynamics_std = 0.5};
  SkillRating soon(options), late(options);
  for (SkillRating* ratings : {&soon, &late}) {
    const Player a = ratings->add_player("a"), b = ratings->add_player("b");
    ratings->update({&a, 1}, {&b, 1}, SkillRating::Outcome::win, 3);
  }
  const Player a{0}, b{1};
  EXPECT_GT(soon.predict({&a, 1}, {&b, 1}, 3).win, soon.predict({&a, 1}, {&b, 1}, 103).win);
  const Gaussian before = late.rating(a);
  // Against an opponent of whom nothing is known the game says almost nothing: what is left is the
  // drift.
  const Player unknown = late.add_player("unknown", Gaussian::from_moments(25, 1e12));
  late.update({&a, 1}, {&unknown, 1}, SkillRating::Outcome::win, 103);
  EXPECT_NEAR(late.rating(a).variance(), before.variance() + 0.25 * 100, kAlmostNothing);
}

TEST(SkillRating, RatingsOfALaterTimeHaveDrifted) {
  SkillRating ratings({.dynamics_std = 0.5});
  const Player a = ratings.add_player("a"), b = ratings.add_player("b");
  EXPECT_TRUE(std::isnan(ratings.last_game(a)));
  EXPECT_EQ(ratings.rating(a, 1000), ratings.rating(a)) << "who has not played does not drift";
  ratings.update({&a, 1}, {&b, 1}, SkillRating::Outcome::win, 3);
  EXPECT_EQ(ratings.last_game(a), 3);
  EXPECT_EQ(ratings.rating(a, 3), ratings.rating(a));
  const Gaussian later = ratings.rating(a, 103);
  EXPECT_NEAR(later.mean(), ratings.rating(a).mean(), kExact * later.mean());
  EXPECT_NEAR(later.variance(), ratings.rating(a).variance() + 0.25 * 100,
              kExact * later.variance());
  EXPECT_THROW(ratings.rating(a, 2), InvalidArgument);
  EXPECT_THROW(ratings.rating(a, std::nan("")), InvalidArgument);
}

TEST(SkillRating, PlayersMoveToAnotherRating) {
  SkillRating first({.dynamics_std = 0.5});
  const Player a = first.add_player("a"), b = first.add_player("b");
  first.update({&a, 1}, {&b, 1}, SkillRating::Outcome::win, 3);
  SkillRating second(first.options());
  for (const Player player : {a, b})
    second.add_player(first.name(player), first.rating(player), first.last_game(player));
  for (SkillRating* ratings : {&first, &second})
    ratings->update({&b, 1}, {&a, 1}, SkillRating::Outcome::win, 50);
  for (const Player player : {a, b}) EXPECT_EQ(first.rating(player), second.rating(player));
  EXPECT_THROW(second.add_player("c", first.rating(a), -HUGE_VAL), InvalidArgument);
}

TEST(SkillRating, SameUpdatesGiveTheSameBits) {
  const auto season = [] {
    SkillRating ratings;
    for (int i = 0; i < 10; ++i) ratings.add_player(std::to_string(i));
    for (std::uint32_t game = 0; game < 300; ++game) {
      const Player a{game % 10}, b{(game * 7 + 3) % 10};
      if (a == b) continue;
      ratings.update({&a, 1}, {&b, 1}, static_cast<SkillRating::Outcome>(game % 3), game);
    }
    return ratings.leaderboard();
  };
  const std::vector<Standing> first = season(), second = season();
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].player, second[i].player);
    EXPECT_EQ(first[i].rating, second[i].rating);
  }
}

// Time counts from the last game and not from the first.
TEST(SkillRating, SkillsWidenFromTheLastGameOn) {
  constexpr double kDynamics = 0.3;
  SkillRating ratings({.dynamics_std = kDynamics});
  const Player a = ratings.add_player("a"), b = ratings.add_player("b");
  for (const double time : {1.0, 4.0, 5.0}) {
    ratings.update(std::vector{a}, std::vector{b}, SkillRating::Outcome::win, time);
    EXPECT_EQ(ratings.last_game(a), time);
    EXPECT_NEAR(ratings.rating(a, time + 2).variance(),
                ratings.rating(a).variance() + 2 * kDynamics * kDynamics,
                kExact * ratings.rating(a).variance());
  }
}

// A rating forgets its games, a history keeps them: one after the other in the order of time both say the same.
TEST(SkillRating, SaysWhatAHistorySaysOfGamesOneAfterTheOther) {
  const SkillOptions options{.dynamics_std = 0.3};
  SkillRating ratings(options);
  SkillHistory history(options);
  constexpr std::uint32_t kPlayers =
      12;  // more than the span of a game, so that nobody is in it twice
  for (std::uint32_t i = 0; i < kPlayers; ++i) {
    ratings.add_player(std::to_string(i));
    history.add_player(std::to_string(i));
  }
  for (std::uint32_t game = 0; game < 600; ++game) {
    std::vector<Player> a, b;
    for (std::uint32_t i = 0; i <= game % 3; ++i) a.push_back({(5 * game + i) % kPlayers});
    for (std::uint32_t i = 0; i <= game % 2; ++i)
      b.push_back({(5 * game + 4 + game % 5 + i) % kPlayers});
    const auto outcome = static_cast<SkillRating::Outcome>(game * 11 % 3);
    const double advantage = 0.5 * (game % 4), time = game / 7;
    ratings.update(a, b, outcome, time, advantage);
    SkillHistory::Match match{{team(a, outcome == SkillRating::Outcome::loss),
                               team(b, outcome == SkillRating::Outcome::win)},
                              time};
    match.teams[0].handicap = advantage;
    history.add(match);
    for (const Player player : a) EXPECT_EQ(ratings.rating(player), history.rating(player)) << game;
    for (const Player player : b) EXPECT_EQ(ratings.rating(player), history.rating(player)) << game;
  }
  for (std::uint32_t i = 0; i < kPlayers; ++i) {
    EXPECT_EQ(ratings.last_game({i}), history.last_game({i}));
    EXPECT_EQ(ratings.rating({i}, 1000), history.rating({i}, 1000));
  }
}

TEST(SkillRating, PlayersOfEqualStandingStayInTheirOrder) {
  SkillRating ratings;
  const std::vector<std::string> names{"first", "second", "third"};
  for (const std::string& name : names) ratings.add_player(name);
  const std::vector<Standing> board = ratings.leaderboard();
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(board[i].name, names[i]);
}

TEST(SkillRating, LeaderboardPutsTheSurelyGoodFirst) {
  SkillRating ratings;
  ratings.add_player("perhaps good", Gaussian::from_moments(40, 100));
  ratings.add_player("surely good", Gaussian::from_moments(35, 1));
  const std::vector<Standing> board = ratings.leaderboard();
  EXPECT_EQ(board[0].name, "surely good");
  EXPECT_EQ(board[1].name, "perhaps good");
}

template <class Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing thrown";
}

TEST(SkillRating, ErrorsNameFieldAndValue) {
  EXPECT_EQ(message_of([] { SkillRating({.std = -2}); }), "std = -2: must be a number above 0");
  EXPECT_EQ(message_of([] { SkillRating({.performance_std = 0}); }),
            "performance_std = 0: must be a number above 0");
  EXPECT_EQ(message_of([] { SkillRating({.dynamics_std = -1}); }),
            "dynamics_std = -1: must be a number of at least 0");
  EXPECT_EQ(message_of([] { SkillRating({.draw_margin = -0.5}); }),
            "draw_margin = -0.5: must be a number of at least 0");
  SkillRating ratings;
  const Player a = ratings.add_player("a"), b = ratings.add_player("b"), stranger{7};
  EXPECT_EQ(message_of([&] {
              ratings.update({&a, 1}, {&stranger, 1}, SkillRating::Outcome::win, 0);
            }),
            "player = 7: must be below the number of players, 2");
  EXPECT_EQ(message_of([&] {
              ratings.update({&a, 1}, {&a, 1}, SkillRating::Outcome::win, 0);
            }),
            "player = 0: must be in the game only once");
  EXPECT_EQ(message_of([&] {
              ratings.update({}, {&a, 1}, SkillRating::Outcome::win, 0);
            }),
            "team_a = \"\": needs at least one player");
  ratings.update({&a, 1}, {&b, 1}, SkillRating::Outcome::win, 5);
  const Gaussian before = ratings.rating(a);
  EXPECT_NE(message_of([&] {
              ratings.update({&b, 1}, {&a, 1}, SkillRating::Outcome::win, 4);
            }).find("time = 4: must not be before the last game of player 1"),
            std::string::npos);
  EXPECT_EQ(ratings.rating(a), before) << "a refused game changes nothing";
}

}  // namespace
}  // namespace postrider::skill
