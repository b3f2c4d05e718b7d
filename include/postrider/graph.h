// Factors, factor graphs and certificates of factors: all of postrider/graph/.
#pragma once

#include "postrider/graph/certify.h"        // IWYU pragma: export
#include "postrider/graph/conjugate.h"      // IWYU pragma: export
#include "postrider/graph/factor.h"         // IWYU pragma: export
#include "postrider/graph/factor_graph.h"   // IWYU pragma: export
#include "postrider/graph/hidden_states.h"  // IWYU pragma: export
#include "postrider/graph/model.h"          // IWYU pragma: export
#include "postrider/graph/topics.h"         // IWYU pragma: export
