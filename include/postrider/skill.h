// Skills of players, from games: all of postrider/skill/.
#pragma once

#include "postrider/skill/game_file.h"  // IWYU pragma: export
#include "postrider/skill/history.h"    // IWYU pragma: export
#include "postrider/skill/rating.h"     // IWYU pragma: export
