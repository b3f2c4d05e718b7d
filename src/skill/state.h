// The games of a SkillHistory as flat arrays, with the messages between them.
//
// An appearance is one chain (a player's skill, or a ground) in one game. Appearances of a chain are linked in the order of time.
// Each keeps three messages: `forward` from the games before, `backward` from those behind, `likelihood` from its own game; their
// product is the belief.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "postrider/skill/history.h"
#include "skill/contest.h"
#include "skill/rules.h"

namespace postrider::internal::games {

inline constexpr std::uint32_t kNone = 0xffffffff;

struct Appearance {
  Message forward{0, 0}, backward{0, 0}, likelihood{0, 0};
  double share = 1;
  ChainId chain = 0;
  std::uint32_t game = 0, previous = kNone, next = kNone;
};

struct Chain {
  std::uint32_t first = kNone, last = kNone, count = 0;  // appearances
};

struct GameRecord {
  double time = 0;
  double log_probability = 0;
  std::uint32_t first_side = 0;
  bool removed = false;
  bool pending = false;  // whether others have not heard of a change yet
};

struct PlayerName {
  std::size_t operator()(std::string_view name) const {
    return std::hash<std::string_view>{}(name);
  }
  using is_transparent = void;
};

class Games {
 public:
  Games();

  std::vector<std::string> names;
  std::unordered_map<std::string, std::uint32_t, PlayerName, std::equal_to<>> by_name;
  std::vector<Chain> chains;
  std::vector<Appearance> appearances;
  std::vector<SideRecord>
      sides;  // one more than there are, so that each ends where the next begins
  std::vector<GameRecord> games;  // likewise
  std::size_t removed = 0;
  std::vector<std::uint32_t> pending;  // games

  std::size_t size() const { return games.size() - 1; }
  double start() const { return start_; }     // the time of the first game
  double latest() const { return latest_; }   // and of the last
  const std::vector<std::uint32_t>& order();  // games in the order of time, without those removed
  const std::vector<std::uint32_t>& order() const { return order_; }  // after the call above

  std::span<const SideRecord> sides_of(std::uint32_t game) const {
    return std::span(sides).subspan(games[game].first_side,
                                    games[game + 1].first_side - games[game].first_side);
  }
  std::uint32_t first_appearance(std::uint32_t game) const {
    return sides[games[game].first_side].first;
  }
  std::uint32_t end_appearance(std::uint32_t game) const { return first_appearance(game + 1); }

  skill::Player add_player(std::string name);
  // Throws InvalidArgument if the match makes no sense; `margin` says whether there can be ties.
  std::uint32_t add(const skill::SkillHistory::Match& match, const skill::SkillOptions& options);
  void remove(std::uint32_t game);
  skill::SkillHistory::Match match(std::uint32_t game) const;
  void mark(std::uint32_t game);
  void clear_pending();

 private:
  void link(std::uint32_t appearance);
  void unlink(std::uint32_t appearance);

  std::vector<std::uint32_t> order_;
  bool is_ordered_ = true;
  double start_ = 0, latest_ = 0;
};

// Throws InvalidArgument if teams, players, shares or handicaps make no sense. Results are looked at if `with_result`.
void expect_match(const skill::SkillHistory::Match& match, std::size_t players, bool with_result);

// The ranks of the teams: as given, or from the scores where none is given.
std::vector<double> ranks_of(const skill::SkillHistory::Match& match);

}  // namespace postrider::internal::games

namespace postrider::skill {

struct SkillHistory::State {
  internal::games::Games games;
  internal::games::Rules rules;
  internal::games::ContestScratch scratch;
};

}  // namespace postrider::skill
