// Skills through time, from matches of any kind: two or more teams of any size, ties, partial play, handicaps, home advantage,
// scores. Every game stays known, so that skills can be smoothed back and forth, and games be added and taken out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "postrider/export.h"
#include "postrider/gaussian.h"
#include "postrider/options.h"
#include "postrider/skill/rating.h"

namespace postrider::skill {

// The fields of SkillOptions as rows: what they are called and what they accept, the same for all front ends.
POSTRIDER_EXPORT const std::vector<OptionInfo>& skill_options();
POSTRIDER_EXPORT double get_skill_option(const SkillOptions& options, std::string_view name);
POSTRIDER_EXPORT void set_skill_option(SkillOptions& options, std::string_view name, double value,
                                       OptionInfo::Spelling spelling = OptionInfo::Spelling::cpp);

class POSTRIDER_EXPORT SkillHistory {
 public:
  struct POSTRIDER_EXPORT SmoothOptions {
    // The most that a belief may still move in one sweep: of its mean in standard deviations, of its precision in relation.
    double tolerance = 1e-5;
    std::size_t max_sweeps = 200;  // back and forth is one

    void validate() const;
  };

  struct POSTRIDER_EXPORT LearnOptions {
    // Names of SkillOptions' fields that stay as they are; mean and std, which are a choice of unit, always do.
    std::vector<std::string> fixed = {};
    // Games before this time are learned from, but their own probability does not count: all players are unknown at first.
    double score_from = -std::numeric_limits<double>::infinity();
    // The score: the probability of the result (who won), or of the scores as well.
    bool score_margins = false;
    bool resume =
        false;  // begin at the present settings, as after a few more games, instead of at a guess
    std::size_t max_steps = 40;
    std::size_t most_games = 200'000;  // of longer histories, the first ones

    void validate() const;
  };

  struct Participant {
    Player player;
    double share = 1;  // of the match that the player took part in; >= 0
  };

  struct POSTRIDER_EXPORT Team {
    std::vector<Participant> players;
    // The lower the better, ties where equal. NaN: not known, as of a team that was taken out of the match. Where no team
    // has a rank, the scores rank them.
    double rank = std::numeric_limits<double>::quiet_NaN();
    double score = std::numeric_limits<
        double>::quiet_NaN();  // a whole number, the higher the better; NaN: not known
    double handicap = 0;       // added to the team's performance
    bool at_home = false;
  };

  // A match without a rank or a score is one that was abandoned, or that has not been played yet.
  struct Match {
    std::vector<Team> teams;  // at least two
    double time = 0;
  };

  // A game of one SkillHistory: a number, to be passed by value.
  struct GameId {
    std::uint32_t index;
    friend bool operator==(GameId, GameId) = default;
  };

  struct Forecast {
    // The outcomes of the first team against the second; for more than two teams, see below.
    Prediction outcome{};
    // Row by row, the probability that a team (row) has a rank (column, the best first) in the order of performances, ties aside.
    std::vector<double> rank;
    // Between 0 and 1: how likely a match without a winner is, against one of equal teams whose skills are known.
    double quality = 0;
  };

  struct Point {
    double time;
    Gaussian skill;
  };

  struct Upset {
    GameId game;
    double probability;  // of its result, before it was seen
  };

  struct SmoothReport {
    std::size_t sweeps = 0;
    std::size_t games = 0;  // that were computed anew, each time counted
    double change = 0;      // in the last sweep
    bool converged = false;
  };

  struct LearnedSetting {
    std::string name;
    double value;
    // How far it is uncertain, a standard deviation, from the curvature of the score; relative to the value where the setting
    // is positive by nature (`relative`).
    double uncertainty;
    bool relative;
  };

  struct LearnReport {
    std::vector<LearnedSetting> settings;  // those that were learned
    double log_loss = 0;    // nats per game that counts, each predicted from those before it
    std::size_t games = 0;  // that count
    std::size_t runs = 0;   // through the history
    bool converged = false;
  };

  explicit SkillHistory(const SkillOptions& options = {});
  ~SkillHistory();
  SkillHistory(SkillHistory&&) noexcept;
  SkillHistory& operator=(SkillHistory&&) noexcept;
  SkillHistory(const SkillHistory&);
  SkillHistory& operator=(const SkillHistory&);

  // A name that is not empty must be new.
  Player add_player(std::string name = {});
  std::optional<Player> find(std::string_view name) const;
  const std::string& name(Player player) const;
  std::size_t player_count() const;
  std::size_t game_count() const;  // without those that were removed
  void reserve(std::size_t players, std::size_t games, std::size_t players_per_game);

  // Takes in a game, at any time. Its messages are those of the games before (and, if it is not the last one of its players,
  // behind); what it says of other games is passed on by refresh() or smooth(). One game after the other in the order of time,
  // this is filtering.
  GameId add(const Match& match);
  // Takes out a game. What it said of others is taken back by refresh() or smooth().
  void remove(GameId game);
  // The game as it was given; the players of a removed one are gone.
  Match match(GameId game) const;
  bool has(GameId game) const;
  std::size_t games_ever() const;  // ids are below it

  // All games anew in the order of time, each from those before it only.
  void filter();
  // Sweeps back and forth over all games until nothing moves any more.
  SmoothReport smooth() { return smooth(SmoothOptions{}); }
  SmoothReport smooth(const SmoothOptions& options);
  // The same from the games that were added or removed since, and only as far as their messages move others. Counts single
  // visits in max_sweeps times the number of games.
  SmoothReport refresh() { return refresh(SmoothOptions{}); }
  SmoothReport refresh(const SmoothOptions& options);

  // Finds the settings under which each game, predicted from those before it, is likeliest; then filters.
  LearnReport learn() { return learn(LearnOptions{}); }
  LearnReport learn(const LearnOptions& options);
  const SkillOptions& options() const;
  void set_options(const SkillOptions& options);  // then filters

  // Throws InvalidArgument if the match is before a player's last game. Ranks and scores are not looked at.
  Forecast predict(const Match& match) const;
  // log of the probability of a game's result: before it was seen, by the games before it, as of its add() or the last filter().
  double log_probability(GameId game) const;
  // log of the probability of all results together, by the present messages: after filter() the sum of log_probability with
  // the scores, after smooth() that of expectation propagation.
  double log_evidence() const;
  // The sum over games of the log-probability of each game's result (and score) given all others.
  double leave_one_out() const;

  Gaussian rating(Player player) const;  // as of the last game
  Gaussian rating(Player player,
                  double time) const;     // as of a later time: the skill has drifted since
  double last_game(Player player) const;  // its time; NaN before the first
  std::size_t games_of(Player player) const;
  std::vector<Point> curve(Player player) const;  // at each of the player's games
  Gaussian home_advantage(Player player) const;   // as of the player's last game at home

  // The highest mean - `deviations` standard deviations first; those who have played since `active_since` only.
  std::vector<Standing> leaderboard(
      double deviations = 3, double active_since = -std::numeric_limits<double>::infinity()) const;
  // The games that were least probable before they were seen, the most surprising first.
  std::vector<Upset> upsets(std::size_t most) const;
  // Splits players into teams of sizes that differ by one at most, such that the quality of the match is highest: of all splits
  // where they are few, else by exchanging players while that helps.
  std::vector<std::vector<Player>> fair_teams(std::span<const Player> players, std::size_t teams,
                                              double time) const;

  // A safetensors file. Loading it gives the same numbers to the bit.
  void save(const std::string& path) const;
  static SkillHistory load(const std::string& path);

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace postrider::skill
