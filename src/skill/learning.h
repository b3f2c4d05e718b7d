// Settings found from the games themselves: each game is predicted from those before it, and the settings are moved until these
// predictions are best.
#pragma once

#include <span>

#include "skill/state.h"

namespace postrider::internal::games {

// A setting that is searched for: on a logarithmic scale if it is positive by nature, else in units of `scale`.
struct Searched {
  std::string_view name;
  bool is_log;
  double scale = 1;
  double start = 0;  // a guess, as searched
  double prior = 1;  // standard deviation of what is believed before any game, as searched
  double begin = 0;  // where the search begins

  double value(double at) const;
  double at(double value) const;
};

// Where a search begins, and which settings these games can tell: no margin without ties, no drift without time.
struct SearchPlan {
  skill::SkillOptions start;
  std::vector<Searched> searched;
};
SearchPlan plan_search(const Games& games, std::span<const std::uint32_t> order,
                       const skill::SkillOptions& options,
                       const skill::SkillHistory::LearnOptions& learn);

// The settings that were found are in `options`.
skill::SkillHistory::LearnReport learn_settings(Games& games, skill::SkillOptions& options,
                                                const skill::SkillHistory::LearnOptions& learn);

// --- The games in the order of time under some other settings, each predicted from those before it. The messages that are kept stay
// as they are.

// Fills in the log-probability of each game of `order`: of its result, or with `margins` of its score.
void replay(const Games& games, std::span<const std::uint32_t> order,
            const skill::SkillOptions& options, bool margins, std::span<double> log_probability);

}  // namespace postrider::internal::games
