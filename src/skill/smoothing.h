// Fixed-point iterations that go on in the direction of their own slow modes: Anderson's mixing.
//
// Sweeps converge slowly where many players are tied to each other more closely than to what is known beforehand: their common level
// moves by a small share of what is left with every sweep. The last few steps tell these modes. With x_k what went into a step, g_k
// what came out and f_k = g_k - x_k, the next step begins at g_k - dG c, where c makes |f_k - dF c| least over the last few
// differences dF and dG. What the iteration converges to is not changed.
//
// Reference: Anderson 1965; Walker and Ni 2011.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "skill/state.h"

namespace postrider::internal::games {

class Accelerator {
 public:
  Accelerator(std::size_t size, std::size_t depth);

  // `after` came out of a step that began with `before`, and is moved to where the next step should begin.
  void extrapolate(std::span<const double> before, std::span<double> after);

 private:
  struct Difference {
    std::vector<float> step, outcome;  // of f and of g
  };

  void remember(std::span<const double> before, std::span<const double> after);
  void forget();

  std::size_t depth_;
  std::vector<double> last_step_, last_outcome_;
  std::vector<Difference> differences_;  // a ring
  std::vector<double> products_;  // of the differences' steps with each other, depth by depth
  std::size_t used_ = 0, next_ = 0;
  double last_length_ = 0;  // of f, squared
};

// --- Messages along the chains and through the games: filtering, smoothing, and what a change touches.

// Which messages of a game's appearances are taken anew from their neighbours before the game is judged.
enum class Hears { before, behind, both, nobody };

// One state's games under its rules.
class Sweeps {
 public:
  explicit Sweeps(skill::SkillHistory::State& state)
      : games_(state.games), rules_(state.rules), scratch_(state.scratch) {}

  // Messages of a new game from its neighbours, and the probability of its result.
  void begin(std::uint32_t game);
  void filter();
  skill::SkillHistory::SmoothReport smooth(const skill::SkillHistory::SmoothOptions& options);
  skill::SkillHistory::SmoothReport refresh(const skill::SkillHistory::SmoothOptions& options);
  double log_evidence();
  double leave_one_out();

 private:
  Message from_before(const Appearance& one) const;
  Message from_behind(const Appearance& one) const;
  void hear(std::uint32_t game, Hears hears);
  // Fills the scratch with entrants, sides and gaps.
  void set_up(std::uint32_t game);
  double log_result(std::uint32_t game);
  // Fills the scratch with entrants and sides.
  void enter(std::uint32_t game);
  void judge_anew(std::uint32_t game, Hears hears);
  // The same, where what the result of two sides says of their difference stays as it was.
  void pass_on_back(std::uint32_t game, const Moments& said);
  void keep(std::uint32_t game);
  // The same; returns how far the game's beliefs moved.
  double visit(std::uint32_t game, Hears hears, Moments* said = nullptr);
  void gather_means(std::vector<double>& to) const;
  void scatter_means(std::span<const double> from);

  Games& games_;
  const Rules& rules_;
  ContestScratch& scratch_;
};

// The sides of a game, before they perform; entrants are numbered from its first appearance.
void set_sides(const Games& games, std::uint32_t game, std::vector<Side>& to);
// The bounds between the ranked sides of a game.
void set_gaps(std::span<const SideRecord> sides, const Rules& rules, bool with_scores,
              std::vector<Gap>& to);

}  // namespace postrider::internal::games
