// Tables, estimators and what they need: all that is directly in namespace postrider. Other doors have headers of their own: graph.h,
// skill.h, sparse.h, distributed.h, network.h; so have the C interface (c_api.h) and Arrow's (arrow.h).
#pragma once

#include "postrider/budget.h"             // IWYU pragma: export
#include "postrider/classifier.h"         // IWYU pragma: export
#include "postrider/cross_validation.h"   // IWYU pragma: export
#include "postrider/distributions.h"      // IWYU pragma: export
#include "postrider/encoding.h"           // IWYU pragma: export
#include "postrider/error.h"              // IWYU pragma: export
#include "postrider/estimator.h"          // IWYU pragma: export
#include "postrider/estimator_options.h"  // IWYU pragma: export
#include "postrider/evaluation.h"         // IWYU pragma: export
#include "postrider/explain.h"            // IWYU pragma: export
#include "postrider/export.h"             // IWYU pragma: export
#include "postrider/file.h"               // IWYU pragma: export
#include "postrider/fleet.h"              // IWYU pragma: export
#include "postrider/function_draw.h"      // IWYU pragma: export
#include "postrider/gaussian.h"           // IWYU pragma: export
#include "postrider/importance.h"         // IWYU pragma: export
#include "postrider/inputs.h"             // IWYU pragma: export
#include "postrider/live_model.h"         // IWYU pragma: export
#include "postrider/metrics.h"            // IWYU pragma: export
#include "postrider/model_file.h"         // IWYU pragma: export
#include "postrider/monitor.h"            // IWYU pragma: export
#include "postrider/options.h"            // IWYU pragma: export
#include "postrider/regressor.h"          // IWYU pragma: export
#include "postrider/report.h"             // IWYU pragma: export
#include "postrider/row_selection.h"      // IWYU pragma: export
#include "postrider/splits.h"             // IWYU pragma: export
#include "postrider/table.h"              // IWYU pragma: export
#include "postrider/table_builder.h"      // IWYU pragma: export
#include "postrider/table_encoder.h"      // IWYU pragma: export
#include "postrider/table_model.h"        // IWYU pragma: export
#include "postrider/time_budget.h"        // IWYU pragma: export
#include "postrider/training.h"           // IWYU pragma: export
#include "postrider/weighted_rows.h"      // IWYU pragma: export
