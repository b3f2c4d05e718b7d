// What a postrider_model is.
#pragma once

#include "postrider/c_api.h"
#include "postrider/live_model.h"

struct postrider_model {
  postrider::LiveModel live;
};
