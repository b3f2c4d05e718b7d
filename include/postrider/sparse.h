// Linear models of sparse inputs: all of postrider/sparse/.
#pragma once

#include "postrider/sparse/hashed_inputs.h"  // IWYU pragma: export
#include "postrider/sparse/model.h"          // IWYU pragma: export
#include "postrider/sparse/shards.h"         // IWYU pragma: export
