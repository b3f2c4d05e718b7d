// What the options say about one match, looked up quickly: noise and drift of the chains, and the bounds of a result.
#pragma once

#include <cstdint>
#include <vector>

#include "postrider/skill/history.h"
#include "skill/contest.h"

namespace postrider::internal::games {

// A quantity that moves through time: the skill of a player, or what playing at home is worth to one. Numbers: 0 is the ground
// that all home teams of several players share, 1 + 2 p the skill of player p, 2 + 2 p the player's ground.
using ChainId = std::uint32_t;
inline constexpr ChainId kCommonGround = 0;
inline constexpr ChainId skill_of(skill::Player player) { return 1 + 2 * player.index; }
inline constexpr ChainId ground_of(skill::Player player) { return 2 + 2 * player.index; }
inline constexpr bool is_ground(ChainId chain) { return chain % 2 == 0; }

// A side as it is kept, in the order of the result; `first` is its first appearance.
struct SideRecord {
  double rank, score, handicap;
  std::uint32_t first;
  std::uint32_t given;    // its place in the match as it was given
  std::uint32_t players;  // without the ground
};

class Rules {
 public:
  explicit Rules(const skill::SkillOptions& options);

  const skill::SkillOptions& options() const { return options_; }
  double noise(ChainId chain) const { return is_ground(chain) ? 0 : performance_; }
  // What a chain is known to be before its first game, `age` after the first game of all.
  Message prior(ChainId chain, double age) const;
  // The same a while later.
  Message drifted(ChainId chain, const Message& message, double elapsed) const {
    const double rate = is_ground(chain) ? ground_drift_ : drift_;
    return rate == 0 || elapsed == 0 ? message : blurred(message, rate * elapsed);
  }

  double margin(std::size_t players_a, std::size_t players_b) const;
  // The bounds of the difference between a side and the next, both ranked.
  Gap result(const SideRecord& a, const SideRecord& b) const;  // of who won
  Gap score(const SideRecord& a, const SideRecord& b) const;   // of the score, if it is known
  // Whether `score` may differ from `result`.
  bool uses_scores() const { return options_.score_unit > 0; }

 private:
  double bound(double points) const;  // above the margin

  skill::SkillOptions options_;
  double performance_, drift_, ground_drift_;
  Message ground_prior_;
  std::vector<double> bounds_;  // of the first few points
};

}  // namespace postrider::internal::games
