// What ratings look like over the years: who leads at the end, and how the best came there.
#pragma once

#include "common/games.h"
#include "common/result.h"

namespace postrider::experiments {

// "leaderboard": the first teams by mean - 3 deviations among those who played lately.
// "history": rating at the end of each year of the teams whose mean - 3 deviations was ever highest.
// `advantage` is that of the home team.
Object rating_history(const Games& games, const skill::SkillOptions& options, double advantage);

}  // namespace postrider::experiments
