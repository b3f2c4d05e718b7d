// Training that is spread over processes: all of postrider/distributed/.
#pragma once

#include "postrider/distributed/parts.h"     // IWYU pragma: export
#include "postrider/distributed/training.h"  // IWYU pragma: export
