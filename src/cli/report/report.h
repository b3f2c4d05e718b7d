// One HTML page about a model that needs nothing else: no script, no font, no picture from elsewhere.
#pragma once

#include <string>

#include "cli/report/content.h"

namespace postrider {

// Throws InvalidArgument if lists that belong together have different lengths.
std::string render_report(const ReportContent& content);

}  // namespace postrider
