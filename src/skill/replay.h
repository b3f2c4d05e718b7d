// The games in the order of time under some other settings, each predicted from those before it. The messages that are kept stay
// as they are.
#pragma once

#include <span>

#include "skill/state.h"

namespace postrider::internal::games {

// Fills in the log-probability of each game of `order`: of its result, or with `margins` of its score.
void replay(const Games& games, std::span<const std::uint32_t> order,
            const skill::SkillOptions& options, bool margins, std::span<double> log_probability);

}  // namespace postrider::internal::games
