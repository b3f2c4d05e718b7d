#include "skill/learning.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/random.h"
#include "postrider/error.h"

namespace postrider::skill {
using namespace internal;
namespace {

// Games of players whose skills, and all settings, are known: the settings that are learned should be these, within four of the
// standard deviations that are said.
constexpr double kDeviations = 4;

SkillOptions truth() {
  return {.mean = 0,
          .std = 2,
          .performance_std = 1,
          .dynamics_std = 0.2,
          .draw_margin = 0.6,
          .home_advantage = 0.8,
          .home_std = 0.4};
}

SkillHistory generated(std::size_t games, bool with_ties) {
  const SkillOptions options = truth();
  SkillHistory out({.mean = 0, .std = 2});
  RandomStream random(11, 0);
  constexpr std::uint32_t kPlayers = 40;
  std::vector<double> skill, ground, last(kPlayers, 0);
  for (std::uint32_t i = 0; i < kPlayers; ++i) {
    out.add_player();
    skill.push_back(options.std * random.normal());
    ground.push_back(options.home_advantage + options.home_std * random.normal());
  }
  for (std::size_t game = 0; game < games; ++game) {
    const double time = static_cast<double>(game) * 0.01;
    const auto a = static_cast<std::uint32_t>(random.uniform(0, kPlayers));
    const auto b = (a + 1 + static_cast<std::uint32_t>(random.uniform(0, kPlayers - 1))) % kPlayers;
    for (const std::uint32_t one : {a, b}) {
      skill[one] += options.dynamics_std * std::sqrt(time - last[one]) * random.normal();
      last[one] = time;
    }
    const bool at_home = game % 3 != 0;
    const double difference = skill[a] - skill[b] + (at_home ? ground[a] : 0) +
                              options.performance_std * std::sqrt(2.0) * random.normal();
    const double margin = with_ties ? options.draw_margin : 0;
    SkillHistory::Match match{std::vector<SkillHistory::Team>(2), time};
    match.teams[0].players = {{{a}}};
    match.teams[1].players = {{{b}}};
    match.teams[0].at_home = at_home;
    match.teams[0].rank = difference > -margin ? 1 : 2;
    match.teams[1].rank = difference < margin ? 1 : 2;
    out.add(match);
  }
  return out;
}

TEST(Learning, FindsTheSettingsThatMadeTheGames) {
  SkillHistory history = generated(6000, true);
  const SkillHistory::LearnReport report = history.learn();
  EXPECT_TRUE(report.converged);
  EXPECT_EQ(report.games, 6000U);
  std::map<std::string, SkillHistory::LearnedSetting> found;
  for (const SkillHistory::LearnedSetting& one : report.settings) found.emplace(one.name, one);
  for (const char* name : {"performance_std", "draw_margin", "home_advantage", "dynamics_std"}) {
    ASSERT_TRUE(found.contains(name)) << name;
    const SkillHistory::LearnedSetting& one = found.at(name);
    const double expected = get_skill_option(truth(), name);
    const double off = one.relative ? std::log(one.value / expected) : one.value - expected;
    EXPECT_LT(std::abs(off), kDeviations * one.uncertainty) << name << " " << one.value;
    EXPECT_LT(one.uncertainty, 0.5) << name;
    EXPECT_EQ(get_skill_option(history.options(), name), one.value);
  }
  EXPECT_FALSE(found.contains("score_unit"));  // there are no scores
  EXPECT_FALSE(found.contains("mean"));
}

TEST(Learning, IsBetterThanTheStart) {
  SkillHistory learned = generated(1500, true), plain = generated(1500, true);
  const SkillHistory::LearnReport report = learned.learn();
  double loss = 0;
  for (std::uint32_t game = 0; game < 1500; ++game) loss -= plain.log_probability({game}) / 1500;
  EXPECT_LT(report.log_loss, loss);
  double again = 0;
  for (std::uint32_t game = 0; game < 1500; ++game) again -= learned.log_probability({game}) / 1500;
  EXPECT_NEAR(again, report.log_loss, 1e-9);  // the replay is the filter
}

TEST(Learning, WhatIsFixedStays) {
  SkillHistory history = generated(400, true);
  SkillOptions options = history.options();
  options.performance_std = 3;
  history.set_options(options);
  const SkillHistory::LearnReport report =
      history.learn({.fixed = {"performance_std", "home_std"}});
  EXPECT_EQ(history.options().performance_std, 3);
  for (const SkillHistory::LearnedSetting& one : report.settings)
    EXPECT_NE(one.name, "performance_std");
  EXPECT_THROW(history.learn({.fixed = {"performance"}}), InvalidArgument);
}

TEST(Learning, WithoutTiesTheNextOneIsStillPossible) {
  SkillHistory history = generated(300, false);
  history.learn();
  EXPECT_GT(history.options().draw_margin, 0);
  EXPECT_LT(history.predict(history.match({299})).outcome.draw, 0.01);
}

TEST(Learning, ScoresOnlyGamesFromAMomentOn) {
  SkillHistory history = generated(1000, true);
  const SkillHistory::LearnReport report = history.learn({.score_from = 5});
  EXPECT_EQ(report.games, 500U);
}

TEST(Learning, OneGameIsEnoughToBegin) {
  SkillHistory history = generated(1, true);
  EXPECT_NO_THROW(history.learn());
  EXPECT_THROW(SkillHistory().learn(), InvalidArgument);
}

TEST(SkillOptionTable, NamesEveryField) {
  SkillOptions options;
  for (const OptionInfo& info : skill_options()) {
    set_skill_option(options, info.name, 0.25);
    EXPECT_EQ(get_skill_option(options, info.name), 0.25) << info.name;
  }
  EXPECT_EQ(options.home_dynamics_std, 0.25);
  EXPECT_THROW(set_skill_option(options, "std", 0), InvalidArgument);
  EXPECT_THROW(set_skill_option(options, "drift", 1), InvalidArgument);
}

}  // namespace
}  // namespace postrider::skill
