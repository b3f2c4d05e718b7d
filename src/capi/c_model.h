// What makes a postrider_model, for those who do not know what it is.
#pragma once

#include "postrider/c_api.h"
#include "postrider/live_model.h"

namespace postrider::internal {

// For postrider_free().
postrider_model* new_c_model(LiveModel live);

}  // namespace postrider::internal
