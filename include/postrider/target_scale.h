// The scale on which numeric targets are learned.
#pragma once

#include <string_view>

#include "postrider/export.h"

namespace postrider {

// plain: as they are. root: the square root of targets that are not negative, such as counts, amounts and durations;
// no prediction, quantile or sample of it is negative. chosen: by a short race where no target is negative and they
// differ much, plain otherwise.
enum class TargetScale { chosen, plain, root };
POSTRIDER_EXPORT std::string_view to_string(TargetScale scale);

}  // namespace postrider
