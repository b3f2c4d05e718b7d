// Networks, how they are trained, and what can be shown about them: all of postrider/network/.
#pragma once

#include "postrider/network/audit.h"    // IWYU pragma: export
#include "postrider/network/network.h"  // IWYU pragma: export
#include "postrider/network/trainer.h"  // IWYU pragma: export
