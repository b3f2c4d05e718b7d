// Contents of reports from real fits of small problems.
#pragma once

#include "report/content.h"

namespace postrider::internal {

// A noisy sine of one input, a weak second one, a category and one that does not matter.
ReportContent regression_sample();
// Two classes in the plane, with names that try to break out of the page.
ReportContent classification_sample();

}  // namespace postrider::internal
