// Skills of players from the outcomes of their games (TrueSkill), by Gaussian message passing.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "postrider/export.h"
#include "postrider/gaussian.h"

namespace postrider::skill {

// All standard deviations and the margin are in the unit of the skills; the unit of time is the caller's. SkillRating uses the
// first five; SkillHistory (skill/history.h) all of them, and learns them from the games.
struct POSTRIDER_EXPORT SkillOptions {
  double mean = 25;                   // of a player who has not played yet
  double std = 25.0 / 3;              // likewise; > 0
  double performance_std = 25.0 / 6;  // performance in one game around the skill; > 0
  double dynamics_std = 25.0 / 300;   // drift of a skill in one unit of time; >= 0
  // A game is drawn if the teams' performances differ by less; >= 0. This default makes one game in
  // ten between two equal players a draw.
  double draw_margin = 0.74;

  // A newcomer's mean is lower by this for each unit of time since the first game of all: those who play get better together,
  // and only differences are ever seen.
  double newcomer_trend = 0;
  // What a side at home gains: the mean over teams, how far teams differ in it, and how it drifts in one unit of time; the last
  // two >= 0.
  double home_advantage = 0;
  double home_std = 0;
  double home_dynamics_std = 0;
  // A win by k points is a difference of performances between b(k) and b(k + 1), where
  // b(k) = draw_margin + score_unit (k - 1)^score_power; both >= 0. With score_unit = 0 scores only tell who won.
  double score_unit = 0;
  double score_power = 1;
  // Whether the margin of a draw grows with the square root of the number of players on both sides, as TrueSkill's does;
  // draw_margin is then that of a duel.
  bool margin_grows = false;

  void validate() const;  // throws InvalidArgument
};

// Probabilities of the outcomes of the first team.
struct Prediction {
  double win, draw, loss;
};

// A player of one SkillRating: a number, to be passed by value.
struct Player {
  std::uint32_t index;
  friend bool operator==(Player, Player) = default;
};

struct Standing {
  Player player;
  std::string name;
  Gaussian rating;
};

// Every game adds, for each player, performance = skill + noise; the difference of the teams'
// summed performances; and a constraint on it: above the margin for a win, below its negative for a
// loss, both between for a draw. The skills take in the messages of the game and the rest of the
// game is forgotten (assumed-density filtering).
//
// One game gives exactly the moments of TrueSkill's closed form.
class POSTRIDER_EXPORT SkillRating {
 public:
  enum class Outcome { win, draw, loss };  // of the first team

  explicit SkillRating(const SkillOptions& options = {});

  Player add_player(std::string name = {});
  // A player of whom more, or less, is known than the options say. The rating must be proper.
  // The last game, for one that was rated before, is as last_game() tells it.
  Player add_player(std::string name, const Gaussian& rating,
                    double last_game = std::numeric_limits<double>::quiet_NaN());

  // `advantage` is added to the performance of the first team: that of playing at home, say.
  // `time` may not be before the last game of any of the players.
  Prediction predict(std::span<const Player> team_a, std::span<const Player> team_b, double time,
                     double advantage = 0) const;
  void update(std::span<const Player> team_a, std::span<const Player> team_b, Outcome outcome,
              double time, double advantage = 0);

  // As of the player's last game.
  Gaussian rating(Player player) const;
  // As of a later time: the skill has drifted since.
  Gaussian rating(Player player, double time) const;
  // The time of it; NaN before the first.
  double last_game(Player player) const;
  const std::string& name(Player player) const;
  std::size_t player_count() const { return players_.size(); }
  // Highest mean - 3 standard deviations first: who is surely good, rather than perhaps.
  std::vector<Standing> leaderboard() const;

  const SkillOptions& options() const { return options_; }

 private:
  struct State {
    Gaussian skill;
    double last_game;  // NaN before the first
  };

  void check(std::span<const Player> team_a, std::span<const Player> team_b, double time,
             double advantage) const;
  const State& state(Player player) const;
  void check_time(Player player, double time) const;
  Gaussian skill_at(Player player, double time) const;

  SkillOptions options_;
  std::vector<State> players_;
  std::vector<std::string> names_;
};

}  // namespace postrider::skill
